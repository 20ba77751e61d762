import { ERROR_CODES } from '#model';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access/audience.js';

/** Where the `type` of a problem leads: what each code stands for. */
@ApiExcludeController()
@Public()
@Controller('docs/errors')
export class ErrorsController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  list(): string {
    const rows = Object.entries(ERROR_CODES).map(
      ([code, { status, title }]) =>
        `<dt id="${code}"><code>${code}</code> (${status})</dt><dd>${title}</dd>`,
    );
    return `<!doctype html><html lang="en"><title>Errors</title><h1>Errors</h1><dl>${rows.join('')}</dl></html>`;
  }
}
