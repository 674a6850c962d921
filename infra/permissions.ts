import { Stack } from 'aws-cdk-lib'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { KeyPurpose } from '../lib/platform/ports/keys.ts'
import { type Stage, stages } from '../lib/platform/ports/queue.ts'
import { allow } from './allow.ts'
import { allowBlobs } from './artifact-bucket.ts'
import type { HubContext } from './context.ts'
import type { FunctionName, HubFunctions } from './functions.ts'
import { allowUseOfKey } from './hub-key.ts'
import { allowIndexes, allowItems } from './hub-table.ts'
import { type ItemAccess, pushEventItems, webhookItems } from './item-access.ts'
import type { StageQueues } from './queues.ts'

/** What a function does besides reading and writing objects, which all do in some measure: leases, status and due times are kept with them. */
interface Work {
  /** Items of the table; all of them when absent. */
  readonly items?: ItemAccess
  /** What it seals and opens, beside the bodies of large objects. */
  readonly opens: readonly KeyPurpose[]
  /** Queues it sends to. Whoever changes objects of any kind gives hints to any stage. */
  readonly sendsTo: readonly Stage[]
  readonly findsDue?: true
  /** Collects the large bodies that no object has any more. */
  readonly sweeps?: true
  /** Who reads artifacts deletes what is damaged, so that its source can store it anew. */
  readonly artifacts?: readonly ('read' | 'write' | 'delete')[]
  /** Reaches clusters, registries and keys of other accounts. */
  readonly assumesRoles?: true
  readonly findsClusters?: true
  readonly pullsImages?: true
  readonly readsBuckets?: true
  readonly decryptsSops?: true
  /** Takes Secret data from Secrets Manager. */
  readonly readsSecrets?: true
  /** Has signatures verified, and data keys opened. */
  readonly asksOpenPgp?: true
  /** Has charts of kustomizations rendered. */
  readonly asksHelmCharts?: true
}

/** Secrets that objects refer to, and tokens for the ServiceAccounts that they act as. */
const ofAccounts: readonly KeyPurpose[] = ['secrets', 'signing-key']

/** All functions except those that need no rights, and the door. */
const work: Readonly<Record<Exclude<FunctionName, 'api' | 'openpgp' | 'helmcharts'>, Work>> = {
  // The sweep looks through all objects for owners that are gone, Secrets among them.
  tick: { opens: ['secrets'], sendsTo: stages, findsDue: true, sweeps: true, artifacts: ['read', 'delete'] },
  webhook: { items: webhookItems, opens: ['receivers'], sendsTo: stages },
  'source-event': { items: pushEventItems, opens: [], sendsTo: stages },
  apiserver: { opens: ['secrets', 'signing-key'], sendsTo: stages },
  source: {
    opens: ofAccounts,
    sendsTo: stages,
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    pullsImages: true,
    readsBuckets: true,
    readsSecrets: true,
    asksOpenPgp: true,
  },
  build: {
    opens: [...ofAccounts, 'builds'],
    sendsTo: ['source', 'build', 'apply', 'notify'],
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    decryptsSops: true,
    readsSecrets: true,
    asksOpenPgp: true,
    asksHelmCharts: true,
  },
  apply: {
    opens: [...ofAccounts, 'builds'],
    sendsTo: stages,
    artifacts: ['read', 'write', 'delete'],
    assumesRoles: true,
    findsClusters: true,
    decryptsSops: true,
    readsSecrets: true,
    asksOpenPgp: true,
    asksHelmCharts: true,
  },
  helmrelease: {
    opens: ofAccounts,
    sendsTo: stages,
    artifacts: ['read', 'delete'],
    assumesRoles: true,
    findsClusters: true,
    readsSecrets: true,
  },
  resourceset: {
    opens: ofAccounts,
    sendsTo: stages,
    artifacts: ['read'],
    assumesRoles: true,
    findsClusters: true,
    pullsImages: true,
    readsSecrets: true,
  },
  notify: { opens: [...ofAccounts, 'receivers'], sendsTo: ['notify'], readsSecrets: true },
}

export interface Resources {
  readonly table: ITable
  readonly bucket: Bucket
  readonly key: IKey
  readonly queues: StageQueues
}

/** Gives every function what its work takes, and no more. */
export const grantPermissions = (functions: HubFunctions, resources: Resources, context: HubContext): void => {
  const { api, openpgp, helmcharts, ...others } = functions
  for (const [name, made] of Object.entries(others) as [keyof typeof work, LambdaFunction][]) {
    const role = made.role as Role
    grant(role, work[name], resources, context)
    if (work[name].asksOpenPgp) allowInvoking(openpgp, role)
    if (work[name].asksHelmCharts) allowInvoking(helmcharts, role)
  }
  // The door reads and opens nothing.
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
  allowBlobs(bucket, role, 'objects', does.sweeps ? ['read', 'write', 'delete'] : ['read', 'write'])
  if (does.artifacts) allowBlobs(bucket, role, 'artifacts', does.artifacts)
  if (does.assumesRoles)
    allow(role, { service: 'sts', actions: ['AssumeRole', 'TagSession'], resources: context.assumeRoles })
  if (does.decryptsSops) allow(role, { service: 'kms', actions: ['Decrypt'], resources: context.sopsKeys })
  if (does.readsBuckets) allowSourceBuckets(role, context.sourceBuckets, partition)
  if (does.findsClusters)
    allow(role, {
      service: 'eks',
      actions: ['DescribeCluster'],
      resources: [arn('eks', '*', 'cluster/*')],
      wildcard:
        'Clusters are named by objects in the hub; describing one tells its address and authority, and lets nobody in.',
    })
  if (does.pullsImages) {
    allow(role, {
      service: 'ecr',
      actions: ['GetAuthorizationToken'],
      resources: ['*'],
      wildcard: 'ECR gives this token per account; what it opens is said by the next statement.',
    })
    allow(role, {
      service: 'ecr',
      actions: ['BatchGetImage', 'GetDownloadUrlForLayer', 'DescribeImages', 'ListImages'],
      resources: [arn('ecr', '*', 'repository/*')],
      wildcard:
        "Repositories are named by objects in the hub; reading those of the hub's own account is what sources are for.",
    })
  }
  if (does.readsSecrets)
    allow(role, {
      service: 'secretsmanager',
      actions: ['GetSecretValue'],
      resources: [arn('secretsmanager', region, `secret:keelson/${context.hubName}/*`)],
      wildcard: "What lies below the hub's own prefix is the operator's to name, and its ARN ends in random letters.",
    })
}

const allowSourceBuckets = (role: Role, names: readonly string[], partition: string): void => {
  const buckets = names.map(name => `arn:${partition}:s3:::${name}`)
  allow(role, { service: 's3', actions: ['ListBucket', 'GetBucketLocation'], resources: buckets })
  allow(role, {
    service: 's3',
    actions: ['GetObject', 'GetObjectVersion'],
    resources: buckets.map(bucket => `${bucket}/*`),
    wildcard: 'A Bucket source reads whatever lies in the bucket that the operator named.',
  })
}
