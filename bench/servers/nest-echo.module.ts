import { Module } from '@nestjs/common';
import { NestEchoController } from './nest-echo.controller.js';

@Module({ controllers: [NestEchoController] })
export class NestEchoModule {}
