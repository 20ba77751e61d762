import {
  ServingError,
  type BatchContext,
  type BatchedHandlerOptions,
  type ItemContext,
  type JsonSchema,
  type Tensor,
} from '#model';
import type { OnnxSession } from '../session/onnx-session.js';
import type { OnnxValue } from '../session/onnx-value.js';
import { batchLayout, type BatchLayout } from './batch-layout.js';
import { readClassLabels } from './class-labels.js';
import { declaredValues } from './declared-values.js';
import { nestedLists } from './nested-lists.js';
import type { OnnxModelSettings } from './onnx-model-settings.js';
import { schemaOf, stackRecords, unstackRecord, type TensorRecord } from './tensor-record.js';
import { topLabels, type TopLabel } from './top-labels.js';

/** Where the labels stand in an answer. */
const TOP_LABELS = 'top_labels';
const DEFAULT_TOP = 5;
/** A description need not show a whole picture. */
const LARGEST_EXAMPLE = 1024;

interface LabelledOutput {
  readonly output: string;
  readonly labels: readonly string[];
}

/** An item's answer: the file's outputs, and the labels of the best classes where labels are known. */
type Answer = Record<string, Tensor | TopLabel[]>;

/** Serves an ONNX file as it is: what it takes and gives, and how batches are made, come from the file. */
export class OnnxFileModel {
  private constructor(
    private readonly session: OnnxSession,
    readonly layout: BatchLayout,
    /** What a request has, and an answer. */
    readonly inputs: readonly OnnxValue[],
    private readonly outputs: readonly OnnxValue[],
    private readonly labelled: LabelledOutput | undefined,
  ) {}

  /** @throws {Error} when the settings do not fit the file */
  static async of(session: OnnxSession, settings: OnnxModelSettings): Promise<OnnxFileModel> {
    const layout = batchLayout(
      session.inputs,
      session.outputs,
      settings.isStacked ?? isStackedBy(settings, session),
    );
    const inputs = declaredValues(session.inputs, settings.inputs, layout, 'input');
    const outputs = declaredValues(session.outputs, settings.outputs, layout, 'output');
    if (settings.labels === undefined) return new OnnxFileModel(session, layout, inputs, outputs, undefined);
    const labels = await readClassLabels(settings.labels);
    const output = selectLabelled(outputs, layout, labels.length, settings.labelledOutput);
    return new OnnxFileModel(session, layout, inputs, outputs, { output, labels });
  }

  /** What the handler says of itself. */
  options(samples: readonly TensorRecord[]): Omit<BatchedHandlerOptions, 'name'> {
    const { isStacked, fixedSize } = this.layout;
    const [sample] = samples;
    const limit = isStacked ? fixedSize : 1;
    return {
      input: schemaOf(this.inputs, this.layout),
      output: this.outputSchema(),
      warmup: samples,
      ...(limit === undefined ? {} : { batchSizeLimit: limit }),
      ...(sample === undefined || elementsOf(sample) > LARGEST_EXAMPLE ? {} : { example: asExample(sample) }),
    };
  }

  /** Runs one batch: one run of the file, one answer an item. */
  async predict(
    batch: readonly TensorRecord[],
    { items }: Pick<BatchContext, 'items'>,
  ): Promise<(Answer | Error)[]> {
    const rows = await this.run(batch);
    return rows.map((row, index) => this.labelledAnswer(row, items[index]!));
  }

  private async run(batch: readonly TensorRecord[]): Promise<TensorRecord[]> {
    if (!this.layout.isStacked) return [this.wanted(await this.session.run(batch[0]!))];
    const missing = Math.max(0, (this.layout.fixedSize ?? 0) - batch.length);
    // The file runs no smaller batch; what it makes of the copies is thrown away.
    const filled = [...batch, ...Array<TensorRecord>(missing).fill(batch.at(-1)!)];
    const names = this.inputs.map(({ name }) => name);
    const outputs = this.wanted(await this.session.run(stackRecords(names, filled)));
    try {
      return unstackRecord(outputs, filled.length).slice(0, batch.length);
    } catch (error) {
      throw new ServingError('contract_violation', (error as Error).message);
    }
  }

  private wanted(outputs: TensorRecord): TensorRecord {
    return Object.fromEntries(this.outputs.map(({ name }) => [name, outputs[name]!]));
  }

  private labelledAnswer(row: TensorRecord, { parameters }: ItemContext): Answer | Error {
    if (this.labelled === undefined) return { ...row };
    const { top = DEFAULT_TOP } = parameters;
    if (!Number.isSafeInteger(top) || Number(top) < 1) {
      const message = 'must be an integer of at least 1: how many labels are wanted';
      return new ServingError('invalid_input', `/parameters/top ${message}`, {
        faults: [{ field: '/parameters/top', message }],
      });
    }
    const { output, labels } = this.labelled;
    return { ...row, [TOP_LABELS]: topLabels(row[output]!, labels, Number(top)) };
  }

  private outputSchema(): JsonSchema {
    const schema = schemaOf(this.outputs, this.layout);
    if (this.labelled === undefined) return schema;
    const label = {
      type: 'object',
      properties: { label: { type: 'string' }, index: { type: 'integer' }, score: { type: 'number' } },
    };
    const description = `The classes with the highest ${this.labelled.output}; "parameters": {"top": n} says how many, else ${DEFAULT_TOP}.`;
    const properties = {
      ...(schema['properties'] as object),
      [TOP_LABELS]: { type: 'array', items: label, description },
    };
    return { ...schema, properties };
  }
}

/** Declared inputs have as many axes as the file's, or one less: the batch axis. */
function isStackedBy({ inputs = [] }: OnnxModelSettings, session: OnnxSession): boolean | undefined {
  const [declared] = inputs;
  const own = session.inputs.find(({ name }) => name === declared?.name);
  if (declared === undefined || own === undefined) return undefined;
  if (declared.shape.length === own.shape.length) return false;
  return declared.shape.length === own.shape.length - 1 ? true : undefined;
}

/** The output that the labels name: the one that is meant, else the only one with a number for each label. */
function selectLabelled(
  outputs: readonly OnnxValue[],
  { isStacked }: BatchLayout,
  count: number,
  name: string | undefined,
): string {
  const described = outputs.map(
    (output) => `'${output.name}' [${output.shape.map((axis) => axis ?? 'any').join(', ')}]`,
  );
  if (outputs.some((output) => output.name === TOP_LABELS)) {
    throw new Error(`labels cannot be added: the file has an output '${TOP_LABELS}' of its own`);
  }
  const fitting = outputs.filter(({ name: own, shape, dtype }) => {
    const axes = (isStacked ? shape.slice(1) : shape).filter((axis) => axis !== 1);
    const [length] = axes;
    const fits =
      axes.length === 1 && (length === count || length === null) && dtype !== 'string' && dtype !== 'bool';
    return fits && (name === undefined || own === name);
  });
  const [only, ...others] = fitting;
  if (only !== undefined && others.length === 0) return only.name;
  const wanted = name === undefined ? 'exactly one output must have' : `output '${name}' must have`;
  throw new Error(
    `there are ${count} labels, so ${wanted} ${count} numbers an item; the file gives ${described.join(', ')}`,
  );
}

function elementsOf(item: TensorRecord): number {
  return Object.values(item).reduce((sum, { data }) => sum + data.length, 0);
}

function asExample(item: TensorRecord): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, tensor]) => [name, nestedLists(tensor)]));
}
