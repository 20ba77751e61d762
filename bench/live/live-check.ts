/** One figure that a check came to. */
export interface Finding {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What is asked of it; a finding without is told for its own sake. */
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** What a check may use. */
export interface LiveCheckContext {
  /** For files that are gone with the run. */
  readonly folder: string;
  /** Told what is being done. */
  readonly progress: (text: string) => void;
}

/** Drives a running server through a situation and tells what came out. */
export interface LiveCheck {
  readonly title: string;
  run(context: LiveCheckContext): Promise<readonly Finding[]>;
}

/** Whether a finding is as asked. */
export function isMet({ value, atLeast = -Infinity, atMost = Infinity }: Finding): boolean {
  return value >= atLeast && value <= atMost;
}
