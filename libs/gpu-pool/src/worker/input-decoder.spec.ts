import { isServingError, IsTensor, tensor, type ServingError } from '#model';
import { Type } from 'class-transformer';
import {
  IsEmail,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { describe, expect, it } from 'vitest';
import { InputDecoder } from './input-decoder.js';

class Simple {
  @IsInt()
  @Min(1)
  count: number;

  @IsOptional()
  @IsTensor('float32', [2])
  pixels?: unknown;
}

class Contact {
  @IsEmail()
  email: string;
}

class Order {
  @ValidateNested()
  @Type(() => Contact)
  contact: Contact;

  @ValidateIf((order: Order) => order.contact.email.startsWith('a'))
  @IsString({ message: 'needs a text' })
  note?: unknown;
}

class Price {
  @IsNumber({ maxDecimalPlaces: 2 })
  amount: number;
}

class Explosive {
  @ValidateBy({
    name: 'explodes',
    validator: {
      validate: () => {
        throw new Error('/home/author/secret');
      },
    },
  })
  value: unknown;
}

describe('what a handler gets of a value', () => {
  it('is the value itself where no class describes it', () => {
    const value = { anything: [1] };
    expect(new InputDecoder(undefined).decode(value)).toBe(value);
    expect(new InputDecoder(undefined).decode(null)).toBeNull();
  });

  it('is an instance of its class, with the tensors that came', () => {
    const pixels = tensor('float32', [2], Float32Array.of(1, 2));
    const simple = new InputDecoder(Simple).decode({ count: 1, pixels }) as Simple;
    expect(simple).toBeInstanceOf(Simple);
    expect(simple.pixels).toBe(pixels);
  });

  it('is not checked a second time for what the schema has checked', () => {
    expect(new InputDecoder(Simple).decode({ count: 0 })).toEqual({ count: 0 });
  });

  it('is checked for what no schema can say, in nested classes too', () => {
    const error = new InputDecoder(Order).decode({ contact: { email: 'nowhere' } }) as ServingError;
    expect(isServingError(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'invalid_input',
      faults: [{ field: '/data/contact/email', message: 'email must be an email' }],
    });
    expect(error.message).toBe('/data/contact/email email must be an email');
  });

  it('is checked under a condition where the class says so', () => {
    const decoder = new InputDecoder(Order);
    expect(decoder.decode({ contact: { email: 'b@b.example' } })).toBeInstanceOf(Order);
    expect(decoder.decode({ contact: { email: 'a@b.example' } })).toMatchObject({
      faults: [{ field: '/data/note', message: 'needs a text' }],
    });
  });

  it('is checked for the options of a check that the schema leaves out', () => {
    const decoder = new InputDecoder(Price);
    expect(decoder.decode({ amount: 1.25 })).toBeInstanceOf(Price);
    expect(decoder.decode({ amount: 1.253 })).toMatchObject({ code: 'invalid_input' });
  });

  it("P8 is a client's error where a check of the model throws, and shows nothing of it", () => {
    const error = new InputDecoder(Explosive).decode({ value: 1 }) as ServingError;
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: 'a check of the model failed on this input',
    });
    expect(error.cause).toMatchObject({ message: '/home/author/secret' });
  });

  it.each([null, 5, 'text'])('never throws, not even for %j', (value) => {
    expect(() => new InputDecoder(Order).decode(value)).not.toThrow();
  });
});
