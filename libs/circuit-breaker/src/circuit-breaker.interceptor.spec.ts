import { ServesModel, ServingError, setModelOfRequest, type ModelDirectory, type ServedModel } from '#model';
import type { ExecutionContext } from '@nestjs/common';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CircuitBreakerInterceptor } from './circuit-breaker.interceptor.js';

class Routes {
  @ServesModel('digits', 'v2')
  digits(): void {}

  other(): void {}
}

const open = new ServingError('breaker_open', 'the model keeps failing');

/** A model whose breaker is open or closed. */
function model(isOpen: boolean): ServedModel {
  return {
    assertBreakerCloses: () => {
      if (isOpen) throw open;
    },
  } as ServedModel;
}

function intercept(route: 'digits' | 'other', request: object, directory: Partial<ModelDirectory> = {}) {
  const context = {
    switchToHttp: () => ({ getRequest: () => request }),
    getHandler: () => Routes.prototype[route],
  } as unknown as ExecutionContext;
  let handled = false;
  const next = {
    handle: () => {
      handled = true;
      return of('answer');
    },
  };
  const run = () => new CircuitBreakerInterceptor(directory as ModelDirectory).intercept(context, next);
  return { run, wasHandled: () => handled };
}

describe('a request to a model whose breaker is open', () => {
  it('is refused before it is handled', () => {
    const request = {};
    setModelOfRequest(request, model(true));
    const { run, wasHandled } = intercept('other', request);
    expect(run).toThrow(open);
    expect(wasHandled()).toBe(false);
  });

  it('is refused also where the route names the model', () => {
    const asked: unknown[] = [];
    const resolve = (name: string, version?: string) => {
      asked.push([name, version]);
      return model(true);
    };
    const { run } = intercept('digits', {}, { resolve });
    expect(run).toThrow(open);
    expect(asked).toEqual([['digits', 'v2']]);
  });
});

describe('any other request', () => {
  it.each([
    ['to a model whose breaker is closed', model(false)],
    ['to no model', undefined],
  ])('%s is handled', (_, served) => {
    const request = {};
    if (served !== undefined) setModelOfRequest(request, served);
    const { run, wasHandled } = intercept('other', request);
    run();
    expect(wasHandled()).toBe(true);
  });
});
