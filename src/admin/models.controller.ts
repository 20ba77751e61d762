import { ServingError } from '#model';
import {
  DefinitionReader,
  ModelRegistry,
  readOptionChanges,
  type ModelRegistration,
  type PendingRegistration,
  type RegisterOptions,
} from '#registry';
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ForOperators } from '../access/audience.js';
import { HttpRequest } from '../predict/http-request.decorator.js';
import { AdminAnswerInterceptor } from './admin-answer.interceptor.js';
import { CHANGE_SCHEMA, REGISTRATION_SCHEMA } from './admin-schemas.js';
import { Audited, auditLater, AuditInterceptor } from './audit.interceptor.js';
import { DecodeBodyPipe } from './decode-body.pipe.js';
import {
  reportModel,
  reportModels,
  reportVersion,
  type ModelReport,
  type VersionReport,
} from './model-report.js';
import { flag, readQuery, seconds, type Query as QueryParameters } from './read-query.js';

/** What a removal or a drain answers. */
export interface DrainReport {
  readonly name: string;
  readonly version: string;
  readonly state: 'removed' | 'draining';
  /** Admitted requests that could not be answered in time. */
  readonly refused: number;
}

const TIMEOUT = {
  name: 'timeout',
  required: false,
  schema: { type: 'number' },
  description: 'Seconds that admitted requests have. Default: `shutdown_timeout`.',
} as const;

/** `/admin/models`: the life cycle of models, for operators. */
@ApiTags('admin')
@ForOperators()
@Controller('admin/models')
@UseInterceptors(AdminAnswerInterceptor, AuditInterceptor)
export class ModelsController {
  constructor(
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(DefinitionReader) private readonly reader: DefinitionReader,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Every model, its versions, their states and effective options' })
  list(): { models: ModelReport[] } {
    return { models: reportModels(this.registry) };
  }

  @Get(':name')
  @ApiOperation({ summary: 'One model' })
  model(@Param('name') name: string): ModelReport {
    this.registry.registered(name);
    return reportModel(this.registry, name);
  }

  @Get(':name/:version')
  @ApiOperation({ summary: 'One version of a model' })
  version(@Param('name') name: string, @Param('version') version: string): VersionReport {
    return reportVersion(this.registry, this.registry.registered(name, version));
  }

  @Post(':name')
  @Audited('register')
  @ApiOperation({
    summary: 'Register a version',
    description:
      'Answers 201 when it serves; with `wait=false` 202 at once, and `Location` says where its state can be looked up.',
  })
  @ApiBody({ schema: REGISTRATION_SCHEMA })
  @ApiQuery({
    name: 'replace',
    required: false,
    schema: { type: 'boolean', default: false },
    description: 'Take the place of a version with the same label, which serves until this one is ready.',
  })
  @ApiQuery({ name: 'wait', required: false, schema: { type: 'boolean', default: true } })
  async register(
    @Param('name') name: string,
    @Query() query: QueryParameters,
    @HttpRequest(DecodeBodyPipe) settings: unknown,
    @HttpRequest() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<VersionReport> {
    const { replace, wait } = readQuery(query, { replace: flag(false), wait: flag(true) });
    const { registration, ready } = await this.#begin(name, settings, { replace, keepFailure: !wait });
    if (wait) await ready;
    // The registration has the outcome.
    else auditLater(request, ready);
    void reply.status(wait ? 201 : 202).header('location', locationOf(name, registration));
    return reportVersion(this.registry, registration);
  }

  @Patch(':name/:version')
  @Audited('update')
  @ApiOperation({
    summary: 'Change options of a version while it serves',
    description: 'All of them or none. `null` brings back what the model says, or the default.',
  })
  @ApiBody({ schema: CHANGE_SCHEMA })
  async update(
    @Param('name') name: string,
    @Param('version') version: string,
    @Query() query: QueryParameters,
    @HttpRequest(DecodeBodyPipe) changes: unknown,
  ): Promise<VersionReport> {
    readQuery(query, {});
    await this.#update(name, version, changes);
    return this.version(name, version);
  }

  @Delete(':name/:version')
  @Audited('remove')
  @ApiOperation({
    summary: 'Remove a version',
    description:
      'Refuses new requests at once, answers what was admitted, then frees its workers. Also gives up one that is ' +
      'loading and forgets one that has failed.',
  })
  @ApiQuery(TIMEOUT)
  async remove(
    @Param('name') name: string,
    @Param('version') version: string,
    @Query() query: QueryParameters,
  ): Promise<DrainReport> {
    const refused = await this.registry.remove(name, version, readLimit(query));
    return { name, version, state: 'removed', refused };
  }

  @Delete(':name')
  @Audited('remove')
  @ApiOperation({ summary: 'Remove every version of a model' })
  @ApiQuery(TIMEOUT)
  async removeAll(
    @Param('name') name: string,
    @Query() query: QueryParameters,
  ): Promise<Omit<DrainReport, 'version'>> {
    const refused = await this.registry.remove(name, undefined, readLimit(query));
    return { name, state: 'removed', refused };
  }

  @Post(':name/:version/drain')
  @Audited('drain')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Take a version out of service, without freeing it',
    description: 'Refuses new requests at once, and answers when what was admitted has been answered.',
  })
  @ApiQuery(TIMEOUT)
  async drain(
    @Param('name') name: string,
    @Param('version') version: string,
    @Query() query: QueryParameters,
  ): Promise<DrainReport> {
    const refused = await this.registry.drain(name, version, readLimit(query));
    return { name, version, state: 'draining', refused };
  }

  @Post(':name/:version/reset-breaker')
  @Audited('reset-breaker')
  @HttpCode(200)
  @ApiOperation({ summary: 'Close the circuit breaker of a version' })
  resetBreaker(
    @Param('name') name: string,
    @Param('version') version: string,
    @Query() query: QueryParameters,
  ): VersionReport {
    readQuery(query, {});
    this.registry.resetBreaker(name, version);
    return this.version(name, version);
  }

  async #begin(name: string, settings: unknown, options: RegisterOptions): Promise<PendingRegistration> {
    const definition = await this.reader.read(name, settings);
    return this.registry.begin(definition, { ...options, remember: settings as Record<string, unknown> });
  }

  async #update(name: string, version: string, changes: unknown): Promise<void> {
    if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) {
      throw new ServingError('invalid_options', 'the body must be an object of options to change');
    }
    await this.registry.update(name, version, readOptionChanges(changes as Record<string, unknown>));
  }
}

function readLimit(query: QueryParameters): { limitMs?: number } {
  const { timeout } = readQuery<{ timeout: number | undefined }>(query, { timeout: seconds });
  return timeout === undefined ? {} : { limitMs: timeout };
}

/** Of a version whose label only the model knows, the model is looked up. */
function locationOf(name: string, { version }: ModelRegistration): string {
  return `/admin/models/${name}${version === undefined ? '' : `/${version}`}`;
}
