import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { sample } from '../../events/queue-message.ts'
import { stageLimits } from '../../infra/stage-limits.ts'
import { awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import type { Stage } from '../../lib/platform/ports/queue.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { makeResources } from '../bed/aws/resources.ts'
import { startCluster } from '../bed/cluster.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { awsMeter, noUsage, type Usage } from './aws-meter.ts'
import { appFiles } from './mttp-objects.ts'
import { table } from './table.ts'

export const description = 'what a month of a hub on AWS costs: measured requests x list prices'

const usage = `npm run bench -- aws-cost [--clusters 100] [--per-cluster 20] [--interval 10] [--pushes 100]

  --clusters     how many clusters
  --per-cluster  Kustomizations of each
  --interval     minutes between two looks at each of them, and at one repository for each cluster
  --pushes       pushes a day, each of which changes all Kustomizations of one cluster`

/** List prices in US dollars, us-east-1, on demand; free tiers left out. Of November 2026: check them before you rely on them. */
const price = {
  lambdaRequest: 0.2e-6,
  lambdaGbSecondArm: 0.0000133334,
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  s3Put: 0.005e-3,
  s3Get: 0.0004e-3,
  sqsRequest: 0.4e-6,
  kmsRequest: 0.03e-4,
  kmsKey: 1,
  logGb: 0.5,
}

const hoursAMonth = 730
/** Kustomizations of the sample that is measured, and messages in a batch. */
const sampled = 20

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '100' },
      'per-cluster': { type: 'string', default: '20' },
      interval: { type: 'string', default: '10' },
      pushes: { type: 'string', default: '100' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const measured = await measure()
  reportMeasured(measured)
  reportMonth(measured, {
    clusters: Number(values.clusters),
    perCluster: Number(values['per-cluster']),
    intervalMinutes: Number(values.interval),
    pushesADay: Number(values.pushes),
  })
  process.exit() // the functions keep connections to the cluster
}

interface Work {
  readonly usage: Usage
  /** Seconds of Lambda, by the memory of the stage in GB. */
  readonly gbSeconds: number
  readonly invocations: number
  readonly logBytes: number
  readonly ms: number
}

interface Measured {
  /** All of one cluster's Kustomizations, nothing to do. */
  readonly quiet: Work
  /** One repository, unchanged. */
  readonly poll: Work
  /** One push that changes all of one cluster's Kustomizations. */
  readonly push: Work
  readonly tick: Work
}

const ref = (group: string, kind: string, name: string) => ({
  group: `${group}.toolkit.fluxcd.io`,
  kind,
  namespace: 'bench',
  name,
})
const repository = ref('source', 'GitRepository', 'apps')
const name = (index: number) => `app-${String(index).padStart(3, '0')}`

/** The functions' own handlers in this process, over the emulator and a real cluster. */
async function measure(): Promise<Measured> {
  const emulator = await startAwsEmulator()
  Object.assign(process.env, emulator.env)
  const clients = awsClients()
  const { hubName, table, bucket, kmsKey, queues } = await makeResources(clients)
  Object.assign(process.env, {
    KEELSON_HUB_NAME: hubName,
    KEELSON_TABLE: table,
    KEELSON_BUCKET: bucket,
    KEELSON_KMS_KEY: kmsKey,
    ...Object.fromEntries(Object.entries(queues).map(([stage, url]) => [`KEELSON_QUEUE_${stage.toUpperCase()}`, url])),
  })
  const [target, git] = [await startCluster(), await startGitRepo(appFiles('mono', sampled, '0'))]
  const { hub } = (await import('../../functions/handlers/function-hub.ts')).hub
  const handlers = new Map<Stage, Handler>()
  for (const stage of ['source', 'build', 'apply'] as const)
    handlers.set(stage, (await import(`../../functions/${stage}.ts`)).handler)
  const { handler: tickHandler } = (await import('../../functions/tick.ts')) as { handler: Handler }
  const { meter } = awsMeter()

  const invoke = async (stage: Stage, bodies: readonly string[]): Promise<Work> => {
    const handler = handlers.get(stage)!
    const Records = bodies.map((body, at) => ({ ...sample.Records[0], messageId: `message-${at}`, body }))
    return invocation(() => handler({ Records }, context), stageLimits[stage].memoryMb, meter)
  }
  const messages = (stage: Stage, refs: readonly object[]) => refs.map(ref => JSON.stringify({ stage, ref }))

  /** Works off what waits in the queues, as Lambda would: in batches, until there is nothing more. */
  const drain = async (): Promise<Work> => {
    let total = nothing
    for (let quiet = 0; quiet < 3; ) {
      let found = 0
      for (const stage of handlers.keys()) {
        const sqs = await clients.sqs()
        const request = {
          QueueUrl: queues[stage],
          MaxNumberOfMessages: stageLimits[stage].batchSize,
          WaitTimeSeconds: 1,
        }
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(request))
        if (Messages.length === 0) continue
        found += Messages.length
        total = sum(
          total,
          await invoke(
            stage,
            Messages.map(({ Body = '' }) => Body),
          ),
        )
        for (const { ReceiptHandle } of Messages)
          await sqs.send(new DeleteMessageCommand({ QueueUrl: queues[stage], ReceiptHandle }))
      }
      quiet = found === 0 ? quiet + 1 : 0
    }
    return total
  }

  await invocation(() => tickHandler({}, context), 512, meter)
  const options = { fieldManager: 'bench' }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } }
  await hub.create(namespace, options)
  await target.apply(JSON.stringify(namespace))
  const value = Buffer.from(readFileSync(target.kubeconfig)).toString('base64')
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'target', namespace: 'bench' }, data: { value } }
  await hub.create(secret as never, options)
  await hub.create(
    objectOf(repository, 'source.toolkit.fluxcd.io/v1', { interval: '10m', url: git.url, ref: { branch: 'main' } }),
    options,
  )
  const apps = Array.from({ length: sampled }, (_, index) => ref('kustomize', 'Kustomization', name(index)))
  for (const app of apps) {
    const spec = {
      interval: '10m',
      prune: true,
      path: `./apps/${app.name}`,
      targetNamespace: 'bench',
      sourceRef: { kind: 'GitRepository', name: 'apps' },
      kubeConfig: { secretRef: { name: 'target' } },
    }
    await hub.create(objectOf(app, 'kustomize.toolkit.fluxcd.io/v1', spec), options)
  }
  await hub.settled()
  await drain()

  const round = async () => {
    let total = nothing
    for (let at = 0; at < apps.length; at += stageLimits.apply.batchSize)
      total = sum(total, await invoke('apply', messages('apply', apps.slice(at, at + stageLimits.apply.batchSize))))
    return total
  }
  await round() // the second one finds all connections open
  const quiet = await round()
  const poll = await invoke('source', messages('source', [repository]))
  const tick = await invocation(() => tickHandler({}, context), 512, meter)
  await drain()
  await git.push(appFiles('mono', sampled, '1'))
  const push = sum(await invoke('source', messages('source', [repository])), await drain())
  await Promise.all([target[Symbol.asyncDispose](), git[Symbol.asyncDispose](), emulator[Symbol.asyncDispose]()])
  return { quiet, poll, push, tick }
}

type Handler = (event: unknown, context: unknown) => Promise<unknown>

const context = {
  awsRequestId: 'bench',
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:bench',
  memoryLimitInMB: '1024',
  getRemainingTimeInMillis: () => 600_000,
}

const objectOf = ({ kind, name, namespace }: ReturnType<typeof ref>, apiVersion: string, spec: object) =>
  ({ apiVersion, kind, metadata: { name, namespace }, spec }) as never

/** One invocation, with what it wrote to its log swallowed and counted. */
async function invocation(
  act: () => Promise<unknown>,
  memoryMb: number,
  meter: ReturnType<typeof awsMeter>['meter'],
): Promise<Work> {
  let logBytes = 0
  const { write } = process.stdout
  process.stdout.write = (chunk: Uint8Array | string) => {
    logBytes += Buffer.byteLength(chunk)
    return true
  }
  const began = performance.now()
  try {
    const { usage } = await meter(act)
    const ms = performance.now() - began
    return { usage, ms, gbSeconds: (ms / 1000) * (memoryMb / 1024), invocations: 1, logBytes }
  } finally {
    process.stdout.write = write
  }
}

const nothing: Work = { usage: noUsage(), gbSeconds: 0, invocations: 0, logBytes: 0, ms: 0 }

const sum = (a: Work, b: Work): Work => ({
  usage: Object.fromEntries(
    Object.entries(a.usage).map(([key, value]) => [key, value + b.usage[key as keyof Usage]]),
  ) as unknown as Usage,
  gbSeconds: a.gbSeconds + b.gbSeconds,
  invocations: a.invocations + b.invocations,
  logBytes: a.logBytes + b.logBytes,
  ms: a.ms + b.ms,
})

function reportMeasured(measured: Measured): void {
  const row = (what: string, { usage, invocations, ms, logBytes }: Work) => {
    const { readUnits, writeUnits, s3Gets, s3Puts, sqsRequests, kmsRequests } = usage
    return [
      what,
      invocations,
      Math.round(ms),
      readUnits,
      writeUnits,
      s3Gets,
      s3Puts,
      sqsRequests,
      kmsRequests,
      logBytes,
    ]
  }
  console.log(`\nMeasured, with ${sampled} Kustomizations of two objects in one cluster\n`)
  console.log(
    table(
      ['', 'invocations', 'ms', 'read units', 'write units', 'S3 GET', 'S3 PUT', 'SQS', 'KMS', 'log bytes'],
      [
        row('a look at all of them, nothing to do', measured.quiet),
        row('a look at their repository, unchanged', measured.poll),
        row('a push that changes all of them', measured.push),
        row('a tick', measured.tick),
      ],
    ),
  )
}

interface Fleet {
  readonly clusters: number
  readonly perCluster: number
  readonly intervalMinutes: number
  readonly pushesADay: number
}

function reportMonth(measured: Measured, { clusters, perCluster, intervalMinutes, pushesADay }: Fleet): void {
  const rounds = (hoursAMonth * 60) / intervalMinutes
  const scale = perCluster / sampled
  const times = (count: number, { usage, gbSeconds, invocations, logBytes }: Work) => ({
    usage: Object.fromEntries(Object.entries(usage).map(([key, value]) => [key, value * count])) as unknown as Usage,
    gbSeconds: gbSeconds * count,
    invocations: invocations * count,
    logBytes: logBytes * count,
    ms: 0,
  })
  const parts = {
    'looks at Kustomizations': times(clusters * rounds * scale, measured.quiet),
    'looks at repositories': times(clusters * rounds, measured.poll),
    pushes: times((pushesADay * 365 * scale) / 12, measured.push),
    ticks: times(hoursAMonth * 60, measured.tick),
  }
  const columns = ['Lambda', 'DynamoDB', 'S3', 'SQS', 'KMS', 'Logs'] as const
  const dollars = Object.entries(parts).map(([what, work]) => [what, ...costOf(work)] as const)
  // Lambda asks each of five queues with five pollers, which wait for twenty seconds at a time.
  const idle = ['waiting for messages', 0, 0, 0, 5 * 5 * 3 * 60 * hoursAMonth * price.sqsRequest, 0, 0] as const
  const fixed = ['the key', 0, 0, 0, 0, price.kmsKey, 0] as const
  const rows = [...dollars, idle, fixed]
  const totals = columns.map((_, at) => rows.reduce((all, row) => all + (row[at + 1] as number), 0))
  const cents = (value: number | string) => (typeof value === 'number' ? value.toFixed(2) : value)
  console.log(
    `\nUS dollars a month: ${clusters} clusters x ${perCluster} Kustomizations, looked at every ${intervalMinutes} minutes, ${pushesADay} pushes a day\n`,
  )
  console.log(
    table(
      ['', ...columns, 'all'],
      [...rows, ['all', ...totals] as const].map(row => {
        const all = row.slice(1).reduce<number>((sum, value) => sum + (value as number), 0)
        return [...row, all].map(cents)
      }),
    ),
  )
}

/** Of Lambda, DynamoDB, S3, SQS, KMS and logs. Each message is sent, received and deleted in batches of ten. */
function costOf({ usage, gbSeconds, invocations, logBytes }: Work): readonly number[] {
  return [
    invocations * price.lambdaRequest + gbSeconds * price.lambdaGbSecondArm,
    usage.readUnits * price.readUnit + usage.writeUnits * price.writeUnit,
    usage.s3Puts * price.s3Put + usage.s3Gets * price.s3Get,
    (usage.sqsRequests + 2 * invocations) * price.sqsRequest,
    usage.kmsRequests * price.kmsRequest,
    (logBytes / 1e9) * price.logGb,
  ]
}
