import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthAudience } from './health-audience.js';
import { HealthController } from './health.controller.js';
import { ModelsHealthIndicator } from './models.health-indicator.js';

@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [HealthAudience, ModelsHealthIndicator],
})
export class HealthModule {}
