/**
 * What a server answered. The body has the fields of a prediction or of a problem; a test looks at those that
 * it expects.
 */
export interface Answer<R = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody<R>;
}

export interface AnswerBody<R = unknown> {
  readonly result: R;
  readonly request_id: string;
  readonly processing_time: number;
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}
