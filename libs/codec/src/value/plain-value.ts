/** What text that was not UTF-8 has been turned into, and its bytes where it was sent as such. */
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/**
 * Refuses what a decoder made of a body beyond plain values: extensions can stand for errors, sets or records,
 * which no JSON body can hold and no model expects.
 *
 * @param body the bytes that `value` was read from
 * @throws {TypeError} saying what was found
 */
export function assertPlain(value: unknown, body: Buffer): void {
  if (typeof value === 'string') assertText(value, body);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return;
  if (Array.isArray(value)) {
    for (const element of value) assertPlain(element, body);
    return;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new TypeError('it holds an extension, or no value at all');
  for (const [key, member] of Object.entries(value)) {
    assertText(key, body);
    assertPlain(member, body);
  }
}

function assertText(text: string, body: Buffer): void {
  if (text.includes(REPLACEMENT) && !body.includes(REPLACEMENT_BYTES))
    throw new TypeError('it holds text that is not UTF-8');
}
