import { readFileSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { sample } from '../../../events/queue-message.ts'
import { stageLimits } from '../../../infra/stage-limits.ts'
import type { Stage } from '../../../lib/platform/ports/queue.ts'
import type { SimulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import type { SimulatedSqs } from './simulated-sqs.ts'
import { nothing, sum, type Usage, type UsageByFunction } from './usage.ts'

type Handler = (event: unknown, context: unknown) => Promise<unknown>

export interface MeteredFunctions {
  /** Runs a function of `functions/` once, as Lambda would. */
  invoke(name: string, event: unknown): Promise<void>
  /** The same for a batch of a stage's queue. Fails when a message failed. */
  deliver(stage: Stage, bodies: readonly string[]): Promise<void>
  /** By function, since the last call. */
  takeUsage(): UsageByFunction
  /** The GB-seconds of each call, by function, since the last call. */
  takeCalls(): ReadonlyMap<string, readonly number[]>
  /** Looks that functions told CloudWatch of, by kind and result, since the last call. */
  takeLooks(): ReadonlyMap<string, number>
  /** Combinations of name and dimensions that CloudWatch was told of, each a metric to pay for. */
  readonly metrics: ReadonlySet<string>
}

const memoryOf = (name: string): number => (name === 'apiserver' ? 1024 : (stageLimits[name as Stage]?.memoryMb ?? 512))

/** Lambda gives a function a whole processor from this much memory on, and less in proportion. */
const wholeProcessorMb = 1769

/** What CloudWatch adds to each event. Lambda itself writes nothing at the level WARN (see infra/function.ts) unless something is wrong. */
const eventBytes = 26

const context = {
  awsRequestId: '00000000-0000-0000-0000-000000000000',
  functionName: 'keelson-apply',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:keelson-apply',
  memoryLimitInMB: '1024',
  getRemainingTimeInMillis: () => 600_000,
}

/**
 * The functions' own code in this process, over a simulated table and simulated queues. Their time is what Lambda would bill: the time they
 * wait as measured, less what this thread waits for a processor that others have, and the time of the processor as long as the function's
 * memory makes it.
 */
export const meteredFunctions = (dynamo: SimulatedDynamo, sqs: SimulatedSqs): MeteredFunctions => {
  const usages = new Map<string, Usage>()
  let current: Usage = { ...nothing }
  let calls = new Map<string, number[]>()
  let looks = new Map<string, number>()
  const metrics = new Set<string>()

  const { send } = base()
  base().send = function (command: { input: never }, ...rest: unknown[]) {
    const { name } = command.constructor
    if (this instanceof DynamoDBClient) return dynamo.client.send(command as never)
    if (this instanceof SQSClient && name === 'SendMessageBatchCommand') {
      current.sqsRequests += 1
      return Promise.resolve(sqs.send(command.input))
    }
    if (['PutObjectCommand', 'CopyObjectCommand'].includes(name)) current.s3Puts += 1
    if (name === 'ListObjectsV2Command') current.s3Lists += 1
    if (['GetObjectCommand', 'HeadObjectCommand'].includes(name)) current.s3Gets += 1
    if (['DecryptCommand', 'GenerateDataKeyCommand', 'EncryptCommand'].includes(name)) current.kmsRequests += 1
    return send.call(this, command, ...rest)
  }

  const readLine = (line: string): void => {
    if (!line.includes('"_aws"')) return
    const emf = JSON.parse(line)
    for (const { Dimensions, Metrics } of emf._aws.CloudWatchMetrics)
      for (const names of Dimensions)
        for (const { Name } of Metrics)
          metrics.add([Name, ...names.map((name: string) => `${name}=${emf[name]}`)].join(' '))
    const counted = [emf.controller_runtime_reconcile_total ?? 0].flat().reduce((a: number, b: number) => a + b, 0)
    const key = `${emf.kind} ${emf.result}`
    looks.set(key, (looks.get(key) ?? 0) + counted)
  }

  const metered = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    current = { ...nothing, invocations: 1 }
    dynamo.takeUnits()
    const { write } = process.stdout
    process.stdout.write = (chunk: Uint8Array | string) => {
      for (const line of String(chunk).split('\n').filter(Boolean)) {
        current.logBytes += Buffer.byteLength(line) + eventBytes
        readLine(line)
      }
      return true
    }
    const cpu = process.cpuUsage()
    const queued = runQueueMs()
    const began = process.hrtime.bigint()
    try {
      await act()
    } finally {
      process.stdout.write = write
    }
    const wallMs = Number(process.hrtime.bigint() - began) / 1e6 - (runQueueMs() - queued)
    const used = process.cpuUsage(cpu)
    const cpuMs = Math.min(wallMs, (used.user + used.system) / 1000)
    const memoryMb = memoryOf(name)
    const billedMs = Math.ceil(wallMs - cpuMs + cpuMs * Math.max(1, wholeProcessorMb / memoryMb))
    current.gbSeconds = (billedMs / 1000) * (memoryMb / 1024)
    calls.set(name, [...(calls.get(name) ?? []), current.gbSeconds])
    const { read, write: written } = dynamo.takeUnits()
    current.readUnits = read
    current.writeUnits = written
    // Received and deleted as a batch.
    if (name in stageLimits) current.sqsRequests += 2
    usages.set(name, sum(usages.get(name) ?? nothing, current))
  }

  const handlers = new Map<string, Handler>()
  const handlerOf = async (name: string): Promise<Handler> => {
    const known =
      handlers.get(name) ?? ((await import(`../../../functions/${name}.ts`)) as { handler: Handler }).handler
    handlers.set(name, known)
    return known
  }

  return {
    metrics,
    invoke: async (name, event) => {
      const handler = await handlerOf(name)
      await metered(name, () => handler(event, context))
    },
    deliver: async (stage, bodies) => {
      const handler = await handlerOf(stage)
      const Records = bodies.map((body, at) => ({ ...sample.Records[0], messageId: `message-${at}`, body }))
      await metered(stage, async () => {
        const answer = (await handler({ Records }, context)) as { batchItemFailures?: unknown[] }
        if (answer.batchItemFailures?.length) throw new Error(`a message of ${stage} failed: ${bodies.join('\n')}`)
      })
    },
    takeUsage: () => {
      const taken = Object.fromEntries(usages)
      usages.clear()
      return taken
    },
    takeCalls: () => {
      const taken = calls
      calls = new Map()
      return taken
    },
    takeLooks: () => {
      const taken = looks
      looks = new Map()
      return taken
    },
  }
}

/** How long this thread has waited for a processor (proc(5), schedstat). */
const runQueueMs = (): number => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6

/** All clients of the SDK share one `send`. */
const base = () =>
  Object.getPrototypeOf(DynamoDBClient.prototype) as {
    // biome-ignore lint/suspicious/noExplicitAny: any client's, any command's
    send(this: unknown, command: any, ...rest: unknown[]): Promise<unknown>
  }
