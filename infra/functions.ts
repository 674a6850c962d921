import { Duration } from 'aws-cdk-lib'
import type { IVpc } from 'aws-cdk-lib/aws-ec2'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Construct } from 'constructs'
import { type Stage, stages } from '../lib/platform/ports/queue.ts'
import type { HubContext } from './context.ts'
import { type CodeOf, type FunctionPlan, lambdaFunction } from './function.ts'
import type { StageQueues } from './queues.ts'
import { stageLimits } from './stage-limits.ts'

export type FunctionName = 'tick' | 'webhook' | 'source-event' | 'api' | 'apiserver' | Stage | 'openpgp' | 'helmcharts'

export type HubFunctions = Readonly<Record<FunctionName, LambdaFunction>>

export const functionNames: readonly FunctionName[] = [
  'tick',
  'webhook',
  'source-event',
  'api',
  'apiserver',
  ...stages,
  'openpgp',
  'helmcharts',
]

const descriptions: Readonly<Record<FunctionName, string>> = {
  tick: 'Enqueues objects that are due',
  webhook: 'Takes the webhooks of forges',
  'source-event': 'Takes notice of pushes to Amazon ECR and CodeCommit, and of objects in S3',
  api: "The door of the hub's Kubernetes API: lets callers in whom the hub may know",
  apiserver: "The hub's Kubernetes API, behind its door",
  source: 'Fetches and verifies sources',
  build: 'Builds manifests',
  apply: 'Applies to clusters, prunes, and looks at health',
  helmrelease: 'Installs, upgrades and removes Helm releases',
  resourceset: 'Expands ResourceSets',
  notify: 'Sends alerts and commit statuses',
  openpgp: 'Verifies OpenPGP signatures and opens data keys',
  helmcharts: 'Pulls and renders charts of kustomizations',
}

/** Stages that speak with what the operator runs, privately perhaps. */
const inVpc: ReadonlySet<FunctionName> = new Set(['source', 'build', 'apply', 'helmrelease', 'resourceset'])

/** Stages that build manifests: ahead of time, or when it comes to applying them. */
const runPlugins: ReadonlySet<FunctionName> = new Set(['build', 'apply'])

/** Anybody may call them, though not with success: they must not take all that the others need. */
const publicLimits = ({ urlConcurrency }: HubContext): Pick<FunctionPlan, 'concurrency'> =>
  urlConcurrency > 0 ? { concurrency: urlConcurrency } : {}

/** Far longer than a watch (functions/handlers/deadline-signal.ts): a large list that a slow client reads takes its time. */
const apiTimeout = Duration.minutes(15)

export interface FunctionsOptions {
  readonly context: HubContext
  readonly environment: Readonly<Record<string, string>>
  readonly queues: StageQueues
  readonly vpc?: IVpc
  readonly codeOf: CodeOf
}

/** All functions; those of stages take their queue's messages in batches, and give back only what failed. */
export const hubFunctions = (
  scope: Construct,
  { context, environment, queues, vpc, codeOf }: FunctionsOptions,
): HubFunctions => {
  const within = new Construct(scope, 'Functions')
  const make = (
    name: FunctionName,
    limits: Pick<FunctionPlan, 'timeout' | 'memoryMb' | 'diskMb' | 'isRecursive' | 'concurrency'>,
    own: Record<string, string> = {},
  ) =>
    lambdaFunction(
      within,
      context,
      {
        name,
        description: descriptions[name],
        ...limits,
        ...(inVpc.has(name) && { vpc }),
        ...(runPlugins.has(name) && { layerArn: context.pluginLayerArn }),
      },
      // Layers lie below /opt: this is where kustomize looks for plugins.
      { ...environment, ...own, ...(runPlugins.has(name) && { XDG_CONFIG_HOME: '/opt' }) },
      codeOf,
    )

  const ofStage = (stage: Stage): LambdaFunction => {
    const { batchSize, maxConcurrency: usual, ...limits } = stageLimits[stage]
    const maxConcurrency = context.stageConcurrency[stage] ?? usual
    // A pass that waits, for health or for a dependency, sends the message that brings the next one.
    const made = make(stage, { ...limits, isRecursive: true })
    made.addEventSource(
      new SqsEventSource(queues[stage].queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    )
    return made
  }

  const { rootSource } = context
  return {
    tick: make(
      'tick',
      { timeout: Duration.seconds(50), memoryMb: 512 },
      { ...(rootSource && { KEELSON_ROOT_SOURCE: JSON.stringify(rootSource) }) },
    ),
    webhook: make('webhook', { timeout: Duration.seconds(30), memoryMb: 512, ...publicLimits(context) }),
    'source-event': make('source-event', { timeout: Duration.seconds(60), memoryMb: 512 }),
    api: lambdaFunction(
      within,
      context,
      {
        ...{ name: 'api', description: descriptions.api, timeout: apiTimeout, memoryMb: 256 },
        ...publicLimits(context),
      },
      { KEELSON_HUB_NAME: environment.KEELSON_HUB_NAME!, KEELSON_SETTINGS: environment.KEELSON_SETTINGS! },
      codeOf,
    ),
    apiserver: make(
      'apiserver',
      { timeout: apiTimeout, memoryMb: 1024 },
      { KEELSON_ADMINS: JSON.stringify(context.admins) },
    ),
    source: ofStage('source'),
    build: ofStage('build'),
    apply: ofStage('apply'),
    helmrelease: ofStage('helmrelease'),
    resourceset: ofStage('resourceset'),
    notify: ofStage('notify'),
    openpgp: lambdaFunction(
      within,
      context,
      { name: 'openpgp', description: descriptions.openpgp, timeout: Duration.seconds(30), memoryMb: 1024 },
      {},
      codeOf,
    ),
    // A chart is nothing but CPU.
    helmcharts: lambdaFunction(
      within,
      context,
      {
        ...{ name: 'helmcharts', description: descriptions.helmcharts },
        ...{ timeout: Duration.minutes(2), memoryMb: 1769 },
        ...(vpc && { vpc }),
      },
      { KEELSON_SETTINGS: environment.KEELSON_SETTINGS! },
      codeOf,
    ),
  }
}
