import { Stack } from 'aws-cdk-lib'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { queuePrefixOf } from '../lib/compose/aws/runner-queues.ts'
import type { KeyPurpose } from '../lib/platform/ports/keys.ts'
import { type Stage, stages } from '../lib/platform/ports/queue.ts'
import { allow } from './allow.ts'
import { allowBlobs } from './artifact-bucket.ts'
import type { HubContext } from './context.ts'
import type { FunctionName, HubFunctions } from './functions.ts'
import { allowUseOfKey } from './hub-key.ts'
import { allowIndexes, allowItems } from './hub-table.ts'
import { type ItemAccess, liveItems, pushEventItems, webhookItems } from './item-access.ts'
import type { StageQueues } from './queues.ts'

/** What a function does beside reading and writing objects, with their leases, status and due times. */
interface Work {
  /** Items of the table; all if undefined. */
  readonly items?: ItemAccess
  /** Stores no large bodies of objects. */
  readonly onlyReads?: true
  /** The purposes of data keys that it encrypts and decrypts with, beside `bodies`. */
  readonly opens: readonly KeyPurpose[]
  /** Queues it sends to: a change of an object may enqueue others of any stage. */
  readonly sendsTo: readonly Stage[]
  readonly findsDue?: true
  /** Deletes the large bodies that no object refers to any more. */
  readonly sweeps?: true
  /** A function that reads artifacts deletes damaged ones, so that their source stores them again. */
  readonly artifacts?: readonly ('read' | 'write' | 'delete')[]
  /** Reaches clusters, registries and keys of other accounts. */
  readonly assumesRoles?: true
  readonly findsClusters?: true
  readonly pullsImages?: true
  readonly readsBuckets?: true
  readonly decryptsSops?: true
  /** Reads Secret data from Secrets Manager. */
  readonly readsSecrets?: true
  /** Of the queues at which runners wait, whose names begin alike: makes them, signs requests of runners for their messages and puts messages there; only puts messages there; or deletes them. */
  readonly runnerQueues?: 'opens' | 'sends' | 'sweeps'
  /** Invokes functions; `helmrelease` for plans of pull requests, `apply` and `resourceset` for comparisons on demand. */
  readonly invokes?: readonly ('openpgp' | 'helmcharts' | 'helmrelease' | 'apply' | 'resourceset' | 'live')[]
}

/** For Secrets that objects refer to, and for tokens of the ServiceAccounts that they impersonate. */
const ofAccounts: readonly KeyPurpose[] = ['secrets', 'signing-key']

/** What each function does, except the API proxy and functions without permissions. */
const work: Readonly<Record<Exclude<FunctionName, 'api' | 'openpgp' | 'helmcharts'>, Work>> = {
  // Garbage collection reads all objects, including Secrets, for owners that no longer exist. Roles list EKS clusters.
  tick: {
    opens: ['secrets'],
    sendsTo: stages,
    findsDue: true,
    sweeps: true,
    artifacts: ['read', 'delete'],
    runnerQueues: 'sweeps',
    assumesRoles: true,
  },
  webhook: { items: webhookItems, opens: ['receivers'], sendsTo: stages },
  'source-event': { items: pushEventItems, opens: [], sendsTo: stages },
  // Runners get their artifacts from it, it signs their Runs, and it serves the public keys.
  apiserver: {
    opens: ['secrets', 'signing-key', 'sessions', 'receipts'],
    sendsTo: stages,
    artifacts: ['read', 'delete'],
    runnerQueues: 'opens',
    invokes: ['live', 'apply', 'resourceset'],
  },
  // Reads the access to clusters that is stored, as stages do, and writes nothing.
  live: {
    items: liveItems,
    onlyReads: true,
    opens: ofAccounts,
    sendsTo: [],
    assumesRoles: true,
    findsClusters: true,
    readsSecrets: true,
  },
  source: {
    opens: ofAccounts,
    sendsTo: stages,
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    pullsImages: true,
    readsBuckets: true,
    readsSecrets: true,
    invokes: ['openpgp'],
  },
  build: {
    opens: [...ofAccounts, 'builds'],
    sendsTo: ['source', 'build', 'apply', 'notify'],
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    decryptsSops: true,
    readsSecrets: true,
    invokes: ['openpgp', 'helmcharts'],
  },
  apply: {
    opens: [...ofAccounts, 'builds', 'receipts'],
    sendsTo: stages,
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    findsClusters: true,
    decryptsSops: true,
    readsSecrets: true,
    runnerQueues: 'sends',
    invokes: ['openpgp', 'helmcharts', 'helmrelease'],
  },
  helmrelease: {
    opens: [...ofAccounts, 'receipts'],
    sendsTo: stages,
    // RolloutRuns keep artifacts under names of their own.
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    findsClusters: true,
    readsSecrets: true,
    runnerQueues: 'sends',
  },
  resourceset: {
    opens: [...ofAccounts, 'builds', 'receipts'],
    sendsTo: stages,
    // Lists of tags are artifacts, and so is what ResourceSets have applied.
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    findsClusters: true,
    pullsImages: true,
    readsSecrets: true,
    runnerQueues: 'sends',
    // Signs commits.
    invokes: ['openpgp'],
  },
  notify: { opens: [...ofAccounts, 'receivers'], sendsTo: ['notify'], readsSecrets: true },
}

export interface Resources {
  readonly table: ITable
  readonly bucket: Bucket
  readonly key: IKey
  readonly queues: StageQueues
}

/** Grants each function the permissions for its work, and no others. */
export const grantPermissions = (functions: HubFunctions, resources: Resources, context: HubContext): void => {
  const { api, openpgp, helmcharts, ...others } = functions
  for (const [name, made] of Object.entries(others) as [keyof typeof work, LambdaFunction][]) {
    const role = made.role as Role
    grant(role, work[name], resources, context)
    for (const invoked of work[name].invokes ?? []) allowInvoking(functions[invoked], role)
  }
  // The API proxy only forwards requests.
  allowInvoking(functions.apiserver, api.role as Role)
}

const allowInvoking = ({ functionArn }: LambdaFunction, role: Role): void =>
  allow(role, { service: 'lambda', actions: ['InvokeFunction'], resources: [functionArn] })

const grant = (role: Role, does: Work, { table, bucket, key, queues }: Resources, context: HubContext): void => {
  const { partition, account, region } = Stack.of(role)
  const arn = (service: string, ofRegion: string, resource: string) =>
    `arn:${partition}:${service}:${ofRegion}:${account}:${resource}`

  allowItems(table, role, does.items)
  if (does.findsDue) allowIndexes(table, role)
  allowUseOfKey(key, role, {
    hubName: context.hubName,
    purposes: [...does.opens, 'bodies'],
    withoutPurpose: does.opens.includes('secrets'),
  })
  for (const stage of does.sendsTo) queues[stage].queue.grantSendMessages(role)
  allowBlobs(bucket, role, 'objects', bodyAccess(does))
  if (does.artifacts) allowBlobs(bucket, role, 'artifacts', does.artifacts)
  if (does.assumesRoles)
    allow(role, { service: 'sts', actions: ['AssumeRole', 'TagSession'], resources: context.assumeRoles })
  if (does.decryptsSops) allow(role, { service: 'kms', actions: ['Decrypt'], resources: context.sopsKeys })
  if (does.readsBuckets) allowSourceBuckets(role, context.sourceBuckets, partition)
  if (does.runnerQueues)
    allow(role, {
      service: 'sqs',
      actions: runnerQueueActions[does.runnerQueues],
      resources: [arn('sqs', region, `${queuePrefixOf(context.hubName)}*`)],
      wildcard: 'Each cluster with a runner has a queue, named after a hash: only the prefix is known at deployment.',
    })
  if (does.runnerQueues === 'sweeps')
    allow(role, {
      service: 'sqs',
      actions: ['ListQueues'],
      resources: ['*'],
      wildcard: 'Queues can only be listed for the whole account. Names grant no access.',
    })
  if (does.findsClusters)
    allow(role, {
      service: 'eks',
      actions: ['DescribeCluster'],
      resources: [arn('eks', '*', 'cluster/*')],
      wildcard:
        'Objects of the hub name clusters. DescribeCluster returns the endpoint and the certificate authority, and grants no access.',
    })
  if (does.pullsImages) {
    allow(role, {
      service: 'ecr',
      actions: ['GetAuthorizationToken'],
      resources: ['*'],
      wildcard: 'ECR issues this token per account; the next statement says what it can access.',
    })
    allow(role, {
      service: 'ecr',
      actions: ['BatchGetImage', 'GetDownloadUrlForLayer', 'DescribeImages', 'ListImages'],
      resources: [arn('ecr', '*', 'repository/*')],
      wildcard: "Objects of the hub name repositories; sources may read all of the hub's own account.",
    })
  }
  if (does.readsSecrets)
    allow(role, {
      service: 'secretsmanager',
      actions: ['GetSecretValue'],
      resources: [arn('secretsmanager', region, `secret:keelson/${context.hubName}/*`)],
      wildcard: "The operator names the secrets below the hub's prefix, and their ARNs end in random characters.",
    })
}

const bodyAccess = ({ sweeps, onlyReads }: Work): Parameters<typeof allowBlobs>[3] => {
  if (onlyReads) return ['read']
  return sweeps ? ['read', 'write', 'delete'] : ['read', 'write']
}

const runnerQueueActions: Readonly<Record<NonNullable<Work['runnerQueues']>, readonly string[]>> = {
  opens: ['CreateQueue', 'ReceiveMessage', 'SendMessage'],
  sends: ['SendMessage'],
  sweeps: ['DeleteQueue'],
}

const allowSourceBuckets = (role: Role, names: readonly string[], partition: string): void => {
  const buckets = names.map(name => `arn:${partition}:s3:::${name}`)
  allow(role, { service: 's3', actions: ['ListBucket', 'GetBucketLocation'], resources: buckets })
  allow(role, {
    service: 's3',
    actions: ['GetObject', 'GetObjectVersion'],
    resources: buckets.map(bucket => `${bucket}/*`),
    wildcard: 'A Bucket source may read every object of the buckets that the operator names.',
  })
}
