import { toRestTraffic, TRAFFIC_SCHEMA, TrafficRules, type RestTraffic } from '#registry';
import { Controller, Delete, Get, Inject, Param, Put, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators } from '../access/audience.js';
import { HttpRequest } from '../predict/http-request.decorator.js';
import { AdminAnswerInterceptor } from './admin-answer.interceptor.js';
import { Audited, AuditInterceptor } from './audit.interceptor.js';
import { DecodeBodyPipe } from './decode-body.pipe.js';

/** How the requests that name no version are shared out. */
export interface TrafficReport {
  readonly name: string;
  /** `null` where there are none: the latest version gets everything. */
  readonly rules: RestTraffic | null;
  /** What the rules come to with the versions that are ready now: the part that each gets. */
  readonly shares: Readonly<Record<string, number>>;
}

/** `/admin/models/{name}/traffic`: pinning, splitting and shadowing, for operators. */
@ApiTags('admin')
@ForOperators()
@Controller('admin/models/:name/traffic')
@UseInterceptors(AdminAnswerInterceptor, AuditInterceptor)
export class TrafficController {
  constructor(@Inject(TrafficRules) private readonly traffic: TrafficRules) {}

  @Get()
  @ApiOperation({ summary: 'Which versions get the requests that name none' })
  show(@Param('name') name: string): TrafficReport {
    const rules = this.traffic.get(name);
    return {
      name,
      rules: rules === undefined ? null : toRestTraffic(rules),
      shares: this.traffic.shares(name),
    };
  }

  @Put()
  @Audited('set-traffic')
  @ApiOperation({
    summary: 'Pin a version, split traffic by weight, or send copies to a shadow',
    description: 'Takes the place of all rules that there were.',
  })
  @ApiBody({ schema: TRAFFIC_SCHEMA as object })
  async set(
    @Param('name') name: string,
    @HttpRequest(DecodeBodyPipe) rules: unknown,
  ): Promise<TrafficReport> {
    await this.traffic.set(name, rules);
    return this.show(name);
  }

  @Delete()
  @Audited('clear-traffic')
  @ApiOperation({ summary: 'Let the latest version have all requests again' })
  async clear(@Param('name') name: string): Promise<TrafficReport> {
    await this.traffic.clear(name);
    return this.show(name);
  }
}
