import { Codecs } from '#codec';
import { Module } from '@nestjs/common';
import { AdminAnswerInterceptor } from './admin-answer.interceptor.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { AuditLog } from './audit-log.js';
import { DecodeBodyPipe } from './decode-body.pipe.js';
import { ModelsController } from './models.controller.js';
import { TrafficController } from './traffic.controller.js';

/** The routes that operators change models by. */
@Module({
  controllers: [ModelsController, TrafficController],
  providers: [
    { provide: Codecs, useValue: new Codecs() },
    AdminAnswerInterceptor,
    AuditInterceptor,
    AuditLog,
    DecodeBodyPipe,
  ],
})
export class AdminModule {}
