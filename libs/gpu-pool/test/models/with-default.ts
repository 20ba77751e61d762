export function helper(batch: unknown[]): unknown[] {
  return batch;
}

export default async function* count(batch: unknown[]) {
  yield batch;
}
