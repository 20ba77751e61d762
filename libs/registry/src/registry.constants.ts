/** What model names look like. */
export const MODEL_NAME_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** What version labels look like. Beside a model's versions stands its `traffic` among the admin routes. */
export const VERSION_PATTERN = /^(?!traffic$)[A-Za-z0-9._-]{1,128}$/;
