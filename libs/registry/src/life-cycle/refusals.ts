import { ServingError } from '#model';
import type { ModelVersion } from '../version/model-version.js';
import type { Registrations } from './registrations.js';

/** Why a request for a model cannot be served. */
export function notServed(
  registrations: Registrations,
  name: string,
  version: string | undefined,
): ServingError {
  const [registration] = registrations.find(name, version);
  if (registration === undefined) return notRegistered(registrations, name, version);
  const what = version === undefined ? `model '${name}'` : `version '${version}' of model '${name}'`;
  return new ServingError('model_not_ready', `${what} is ${registration.state}`, { retryAfterSeconds: 1 });
}

/** What requests are told that go by traffic rules to a version which is not there yet. */
export function stillLoading(name: string): ServingError {
  const message = `the version of model '${name}' that its traffic rules name is loading`;
  return new ServingError('model_not_ready', message, { retryAfterSeconds: 1 });
}

/** What is not there: the model, or only the version. */
export function notRegistered(
  registrations: Registrations,
  name: string,
  version: string | undefined,
): ServingError {
  if (version === undefined || registrations.find(name).length === 0) {
    return new ServingError('model_not_found', `there is no model '${name}'`);
  }
  return new ServingError('version_not_found', `model '${name}' has no version '${version}'`);
}

/** What requests to a version are told that is being removed. */
export function removed({ name, version }: ModelVersion): ServingError {
  const message = `version '${version}' of model '${name}' is being removed`;
  return new ServingError('model_removed', message, { retryAfterSeconds: 1 });
}

/** What whoever waits for a model is told that is removed before it was there. */
export function removedWhileLoading(): ServingError {
  return new ServingError('model_removed', 'the model was removed while it was loading');
}
