import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Codecs } from './codecs.js';

const JSON_TYPE = 'application/json';
const MESSAGE_PACK_TYPE = 'application/msgpack';

const codecs = new Codecs();
const json = codecs.forContentType(JSON_TYPE);
const messagePack = codecs.forContentType(MESSAGE_PACK_TYPE);

describe('the codec of a request', () => {
  it.each([
    [undefined, JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['Application/JSON ;charset=UTF-8', JSON_TYPE],
    ['application/msgpack', MESSAGE_PACK_TYPE],
    ['application/x-msgpack', MESSAGE_PACK_TYPE],
    ['application/vnd.msgpack; v=5', MESSAGE_PACK_TYPE],
  ])('of content type %s reads %s', (contentType, mediaType) => {
    expect(codecs.forContentType(contentType).mediaType).toBe(mediaType);
  });

  it.each(['text/plain', 'application/xml', 'application/jsonx', 'constructor', '__proto__'])(
    'of content type %s does not exist, and the error names those that do',
    (contentType) => {
      expect(() => codecs.forContentType(contentType)).toThrow(
        expect.objectContaining({
          code: 'unsupported_media_type',
          status: 415,
          message: `application/json and application/msgpack are supported, not '${contentType}'`,
        }),
      );
    },
  );
});

describe('the codec of an answer', () => {
  it.each([undefined, '*/*', 'text/html', '', ';;,', 'application/*;q=0.2', 'constructor'])(
    'is that of the request for accept %s',
    (accept) => {
      expect(codecs.forAccept(accept, json)).toBe(json);
      expect(codecs.forAccept(accept, messagePack)).toBe(messagePack);
    },
  );

  it.each([
    ['application/json', JSON_TYPE],
    ['application/msgpack', MESSAGE_PACK_TYPE],
    ['application/x-msgpack', MESSAGE_PACK_TYPE],
    ['Application/MsgPack', MESSAGE_PACK_TYPE],
    ['application/msgpack;q=0.5, application/json', JSON_TYPE],
    ['text/html, application/vnd.msgpack;q=0.9, */*;q=0.1', MESSAGE_PACK_TYPE],
    ['application/json;q=0.1, application/x-msgpack;q=0.2', MESSAGE_PACK_TYPE],
  ])('for accept %s is %s, whatever the request was', (accept, mediaType) => {
    expect(codecs.forAccept(accept, json).mediaType).toBe(mediaType);
    expect(codecs.forAccept(accept, messagePack).mediaType).toBe(mediaType);
  });

  it('is not one that the client rules out', () => {
    expect(codecs.forAccept('application/json;q=0, */*', json)).toBe(messagePack);
  });

  it('exists for any header', () => {
    fc.assert(
      fc.property(fc.string(), (accept) => {
        expect([json, messagePack]).toContain(codecs.forAccept(accept, json));
      }),
    );
  });
});

describe('codecs of an application', () => {
  const text = {
    mediaType: 'text/plain',
    decode: (body: Buffer) => body.toString(),
    encode: (value: unknown) => String(value),
  };

  it('take the place of the built-in ones', () => {
    const own = new Codecs([text]);
    expect(own.forContentType('text/plain; charset=utf-8')).toBe(text);
    expect(own.forAccept('text/*', text)).toBe(text);
    expect(() => own.forContentType('application/msgpack')).toThrow('text/plain are supported, not');
  });
});
