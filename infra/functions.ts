import { Duration } from 'aws-cdk-lib'
import type { IVpc } from 'aws-cdk-lib/aws-ec2'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type Stage, stages } from '../lib/platform/ports/queue.ts'
import type { HubContext } from './context.ts'
import { type CodeOf, type FunctionPlan, lambdaFunction } from './function.ts'
import type { StageQueues } from './queues.ts'
import { stageLimits } from './stage-limits.ts'

export type FunctionName =
  | 'tick'
  | 'webhook'
  | 'source-event'
  | 'api'
  | 'apiserver'
  | 'live'
  | Stage
  | 'openpgp'
  | 'helmcharts'

export type HubFunctions = Readonly<Record<FunctionName, LambdaFunction>>

export const functionNames: readonly FunctionName[] = [
  'tick',
  'webhook',
  'source-event',
  'api',
  'apiserver',
  'live',
  ...stages,
  'openpgp',
  'helmcharts',
]

const descriptions: Readonly<Record<FunctionName, string>> = {
  tick: 'Enqueues objects that are due',
  webhook: 'Receives webhooks',
  'source-event': 'Handles events of pushes to Amazon ECR and CodeCommit, and of objects in S3',
  api: "Authenticating proxy of the hub's Kubernetes API",
  apiserver: "The hub's Kubernetes API, invoked by its proxy",
  live: 'Reads what is on clusters, for people who view it',
  source: 'Fetches and verifies sources',
  build: 'Builds manifests',
  apply: 'Applies to clusters, prunes, checks health, and makes artifacts',
  helmrelease: 'Installs, upgrades and removes Helm releases',
  resourceset: 'Expands ResourceSets, and scans images',
  notify: 'Sends alerts and commit statuses',
  openpgp: 'Verifies OpenPGP signatures and decrypts data keys',
  helmcharts: 'Pulls and renders charts of kustomizations',
}

/** The file in the code of `apiserver` that `authenticationConfig` becomes. */
export const authenticationFile = 'authentication.yaml'
/** The same for `auditPolicy`. */
export const auditPolicyFile = 'audit-policy.yaml'

/** Functions that connect to sources and clusters, which may be private. */
const inVpc: ReadonlySet<FunctionName> = new Set(['live', 'source', 'build', 'apply', 'helmrelease', 'resourceset'])

/** Functions that run kustomize plugins: the ones that build manifests, before an apply or during it. */
const runPlugins: ReadonlySet<FunctionName> = new Set(['build', 'apply'])

/** Anybody can invoke public functions. Reserved concurrency keeps them from using up the account's. */
const publicLimits = ({ urlConcurrency }: HubContext): Pick<FunctionPlan, 'concurrency'> =>
  urlConcurrency > 0 ? { concurrency: urlConcurrency } : {}

/** Much longer than a watch (functions/handlers/deadline-signal.ts), for slow clients that read large lists. */
const apiTimeout = Duration.minutes(15)

export interface FunctionsOptions {
  readonly context: HubContext
  readonly environment: Readonly<Record<string, string>>
  readonly queues: StageQueues
  readonly vpc?: IVpc
  /** Where requests to the API are put on record. */
  readonly auditLog?: LogGroup
  readonly codeOf: CodeOf
}

/** All functions. Those of stages receive batches from their queue, and return only failed messages. */
export const hubFunctions = (
  scope: Construct,
  { context, environment, queues, vpc, auditLog, codeOf }: FunctionsOptions,
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
      // Layers are mounted at /opt, and kustomize searches this folder for plugins.
      { ...environment, ...own, ...(runPlugins.has(name) && { XDG_CONFIG_HOME: '/opt' }) },
      codeOf,
    )

  const ofStage = (stage: Stage): LambdaFunction => {
    const { batchSize, maxConcurrency: usual, ...limits } = stageLimits[stage]
    const maxConcurrency = context.stageConcurrency[stage] ?? usual
    // A pass that waits for health or for a dependency enqueues the next pass itself.
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
      {
        KEELSON_ADMINS: JSON.stringify(context.admins),
        ...(context.authenticationConfig && { KEELSON_AUTHENTICATION_FILE: authenticationFile }),
        ...(auditLog && { KEELSON_AUDIT_LOG_GROUP: auditLog.logGroupName }),
        ...(context.auditPolicy && { KEELSON_AUDIT_POLICY_FILE: auditPolicyFile }),
      },
    ),
    live: make('live', { timeout: Duration.seconds(60), memoryMb: 1024 }),
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
    // Rendering is limited by CPU: 1769 MB is one vCPU.
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
