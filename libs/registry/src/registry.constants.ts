/** What model names and version labels look like. */
export const MODEL_NAME_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;
