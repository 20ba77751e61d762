/** What model names look like. Those that are no names are parts of a path, or what every object has. */
export const MODEL_NAME_PATTERN = /^(?!(?:\.{1,2}|__proto__|constructor|prototype)$)[A-Za-z0-9._-]{1,128}$/;

/** {@link MODEL_NAME_PATTERN} in words. */
export const MODEL_NAME_RULE =
  'must be 1 to 128 of A–Z a–z 0–9 . _ -, and none of ., .., __proto__, constructor, prototype';

/** What version labels look like. Beside a model's versions stands its `traffic` among the admin routes. */
export const VERSION_PATTERN =
  /^(?!(?:\.{1,2}|__proto__|constructor|prototype|traffic)$)[A-Za-z0-9._-]{1,128}$/;

/** {@link VERSION_PATTERN} in words. */
export const VERSION_RULE = `${MODEL_NAME_RULE}, traffic`;
