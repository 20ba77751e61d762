import { ERROR_CODES, ServingError, type ErrorCode } from '#model';
import {
  ConflictException,
  ForbiddenException,
  HttpException,
  ImATeapotException,
  MethodNotAllowedException,
  NotFoundException,
  PayloadTooLargeException,
  UnauthorizedException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { statusOfProblem, toProblem, toServingError } from './problem-details.js';

const fastifyError = (statusCode: number) => Object.assign(new Error('from Fastify'), { statusCode });

describe('an error that leaves the server', () => {
  it('is the one that was made for the client', () => {
    const error = new ServingError('queue_full', 'full', { retryAfterSeconds: 3 });
    expect(toServingError(error)).toBe(error);
    expect(toServingError(new HttpException('full', 429, { cause: error }))).toBe(error);
  });

  it.each<[string, unknown, ErrorCode]>([
    ['no route', new NotFoundException('Cannot GET /x'), 'not_found'],
    ['no credentials', new UnauthorizedException(), 'unauthorized'],
    ['a body too large for Nest', new PayloadTooLargeException(), 'body_too_large'],
    ['a media type that Nest does not read', new UnsupportedMediaTypeException(), 'unsupported_media_type'],
    ['a body too large for Fastify', fastifyError(413), 'body_too_large'],
    ['a body that Fastify cannot read', fastifyError(400), 'unreadable_body'],
  ])('has the code of its kind: %s', (_, error, code) => {
    const serving = toServingError(error);
    expect([serving.code, serving.message]).toEqual([code, (error as Error).message]);
    expect(serving.status).toBe(ERROR_CODES[code].status);
  });

  it.each<[HttpException, number, ErrorCode]>([
    [new ForbiddenException('not yours'), 403, 'forbidden'],
    [new HttpException('slow down', 429), 429, 'rate_limited'],
    [new MethodNotAllowedException('only POST'), 405, 'refused'],
    [new ConflictException('taken'), 409, 'refused'],
    [new ImATeapotException('short and stout'), 418, 'refused'],
  ])(
    'keeps the status and the words of %s, which a guard of a team’s own may throw',
    (error, status, code) => {
      const problem = toProblem(toServingError(error), 'r');
      expect(problem).toMatchObject({ status, code, detail: error.message, title: ERROR_CODES[code].title });
      expect(statusOfProblem(toServingError(error))).toBe(status);
    },
  );

  it.each([
    ['an error that nobody expected', new Error('password is hunter2')],
    ['a fault of the server of which Nest tells', new HttpException('hunter2', 507)],
    ['a text', 'hunter2'],
    ['nothing', undefined],
    ['null', null],
    ['an object with a status that is none', { statusCode: 'hunter2' }],
  ])('keeps its secrets and its cause when it is %s', (_, error) => {
    const serving = toServingError(error);
    expect(serving).toMatchObject({ code: 'internal', status: 500 });
    expect(JSON.stringify(toProblem(serving, 'r1'))).not.toContain('hunter2');
    expect(serving.cause).toBe(error);
  });
});

describe('the body of an error', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('of %s has all fields of RFC 9457 and ours', (code) => {
    expect(toProblem(new ServingError(code, 'because'), 'r7')).toEqual({
      type: `/docs/errors#${code}`,
      title: ERROR_CODES[code].title,
      status: ERROR_CODES[code].status,
      detail: 'because',
      code,
      request_id: 'r7',
    });
  });

  it('is found inside what Nest makes of a hook’s refusal', () => {
    const refusal = new ServingError('forbidden', 'not from here');
    expect(toServingError(new HttpException('not from here', 403, { cause: refusal }))).toBe(refusal);
  });

  it('lists the single faults, and never what led to it', () => {
    const faults = [{ field: '/data/x', message: 'is required' }];
    const error = new ServingError('invalid_input', 'no', { faults, cause: new Error('inside') });
    const problem = toProblem(error, 'r');
    expect(problem.errors).toEqual(faults);
    expect(JSON.stringify(problem)).not.toContain('inside');
  });
});
