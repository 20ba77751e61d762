import type { ServedModel } from './model-directory.js';

/** Which model a request asks for. */
export interface RequestedModel {
  readonly name: string;
  /** Left out for the latest. */
  readonly version?: string;
}

const MODEL_OF_ROUTE = Symbol.for('smartbatch.model-of-route');
const MODEL_OF_REQUEST = Symbol.for('smartbatch.model-of-request');

/**
 * Names the model that a route of an application's own serves, for `AdmissionGuard` and
 * `CircuitBreakerInterceptor`. Without it they take the route's parameter `name` and the query's `version`.
 */
export function ServesModel(name: string, version?: string): MethodDecorator {
  return (_target, _property, descriptor) => {
    const value = version === undefined ? { name } : { name, version };
    Object.defineProperty(descriptor.value as object, MODEL_OF_ROUTE, { value });
  };
}

/** What {@link ServesModel} says of a route's method. */
export function modelOfRoute(method: object): RequestedModel | undefined {
  return (method as Record<symbol, RequestedModel | undefined>)[MODEL_OF_ROUTE];
}

/** Remembers the model that a request was resolved to, for whoever handles the request next. */
export function setModelOfRequest(request: object, model: ServedModel): void {
  (request as Record<symbol, ServedModel>)[MODEL_OF_REQUEST] = model;
}

/** The model that a request was resolved to, if it was. */
export function modelOfRequest(request: object): ServedModel | undefined {
  return (request as Record<symbol, ServedModel | undefined>)[MODEL_OF_REQUEST];
}
