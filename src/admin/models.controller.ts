import { ModelRegistry } from '#registry';
import { Controller, Delete, Get, Inject, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators } from '../access/audience.js';
import { AdminAnswerInterceptor } from './admin-answer.interceptor.js';
import { AuditLog, Operator } from './audit-log.js';
import {
  reportModel,
  reportModels,
  reportVersion,
  type ModelReport,
  type VersionReport,
} from './model-report.js';
import { readQuery, seconds, type Query as QueryParameters } from './read-query.js';

/** What a removal answers. */
export interface RemovalReport {
  readonly name: string;
  readonly version: string;
  readonly state: 'removed';
  /** Admitted requests that could not be answered in time. */
  readonly refused: number;
}

/** `/admin/models`: the life cycle of models, for operators. */
@ApiTags('admin')
@ForOperators()
@Controller('admin/models')
@UseInterceptors(AdminAnswerInterceptor)
export class ModelsController {
  constructor(
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(AuditLog) private readonly audit: AuditLog,
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

  @Delete(':name/:version')
  @ApiOperation({
    summary: 'Remove a version',
    description: 'Refuses new requests at once, answers what was admitted, then frees its workers.',
  })
  async remove(
    @Param('name') name: string,
    @Param('version') version: string,
    @Query() query: QueryParameters,
    @Operator() operator: Operator,
  ): Promise<RemovalReport> {
    const { timeout } = readQuery<{ timeout: number | undefined }>(query, { timeout: seconds });
    const limit = timeout === undefined ? {} : { limitMs: timeout };
    const refused = await this.audit.record(
      { operator, action: 'remove', model: name, version },
      this.registry.remove(name, version, limit),
    );
    return { name, version, state: 'removed', refused };
  }
}
