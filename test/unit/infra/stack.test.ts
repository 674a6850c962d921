import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { App } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { readContext } from '../../../infra/context.ts'
import { functionNames } from '../../../infra/functions.ts'
import { HubStack } from '../../../infra/hub-stack.ts'
import { readSettings } from '../../../lib/compose/settings/setting-options.ts'
import { defaultSettings } from '../../../lib/compose/settings/settings.ts'
import { stages } from '../../../lib/platform/ports/queue.ts'
import { permissionsIn } from './permissions-in.ts'

const root = join(import.meta.dirname, '../../..')
const { context: flags } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object }

const everything = {
  admins: 'arn:aws:iam::111122223333:role/ops',
  rootSource: 'https://github.com/acme/fleet//hub?ref=main',
  vpcId: 'vpc-0123456789abcdef0',
  alarmEmail: 'ops@acme.example',
  noCrossNamespaceRefs: 'true',
  defaultServiceAccount: 'deployer',
  assumeRoles: 'arn:aws:iam::444455556666:role/keelson',
  sopsKeys: 'arn:aws:kms:eu-west-1:111122223333:key/sops',
  sourceBuckets: 'acme-manifests',
  pluginGroups: 'team.example.com',
  pluginLayerArn: 'arn:aws:lambda:eu-west-1:111122223333:layer:plugins:3',
  tracing: 'true',
  domainName: 'hub.acme.example',
  certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/11111111-2222-3333-4444-555555555555',
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  urlConcurrency: '30',
}

interface DistributionConfig {
  readonly Aliases: readonly string[]
  readonly ViewerCertificate: { readonly AcmCertificateArn: string }
  readonly DefaultCacheBehavior: Behavior
  readonly CacheBehaviors: readonly (Behavior & { readonly PathPattern: string })[]
  readonly CustomErrorResponses: readonly object[]
  readonly Origins: readonly { readonly Id: string }[]
}

interface Behavior {
  readonly TargetOriginId: string
  readonly CachePolicyId: string
  readonly OriginRequestPolicyId: string
  readonly ViewerProtocolPolicy: string
  readonly AllowedMethods: readonly string[]
}

const templateOf = (context: Record<string, string>): Template => {
  // CDK's own checks of the template run with every `cdk synth`: test/deploy
  const app = new App({ context: { ...flags, ...context }, builtinCloudFormationValidation: false })
  const stack = new HubStack(app, {
    context: readContext(app.node.getAllContext()),
    codeOf: () => Code.fromInline('export const handler = 0'),
    env: { account: '111122223333', region: 'eu-west-1' },
  })
  return Template.fromStack(stack)
}

const plain = templateOf({})
const full = templateOf(everything)

const rowsOf = (template: Template, type: string) => Object.values(template.findResources(type))
const named = (template: Template, name: string) =>
  rowsOf(template, 'AWS::Lambda::Function').find(({ Properties }) => Properties.FunctionName === `keelson-${name}`)!
    .Properties

// To see a change of permissions is to decide about it: `node --test --test-update-snapshots test/unit/infra/stack.test.ts`
test('every function has a role of its own that may do what its work takes', t => {
  const text = { serializers: [(value: unknown) => String(value)] }
  t.assert.fileSnapshot(permissionsIn(plain), join(import.meta.dirname, 'permissions.txt'), text)
  t.assert.fileSnapshot(permissionsIn(full), join(import.meta.dirname, 'permissions-with-everything.txt'), text)
})

test('runs each function on Node 24 and arm64, with its own bounded log', () => {
  const functions = rowsOf(plain, 'AWS::Lambda::Function')
  assert.deepEqual(
    functions.map(({ Properties }) => Properties.FunctionName).sort(),
    functionNames.map(name => `keelson-${name}`).sort(),
  )
  for (const { Properties } of functions) {
    assert.equal(Properties.Runtime, 'nodejs24.x')
    assert.deepEqual(Properties.Architectures, ['arm64'])
    assert.equal(Properties.LoggingConfig.LogFormat, 'JSON')
  }
  assert.equal(new Set(functions.map(({ Properties }) => JSON.stringify(Properties.Role))).size, functionNames.length)
  const logs = rowsOf(plain, 'AWS::Logs::LogGroup')
  assert.deepEqual(
    logs.map(({ Properties }) => Properties.RetentionInDays),
    functionNames.map(() => 30),
  )
})

test('tells functions what they work with', () => {
  const { Variables } = named(plain, 'source').Environment
  assert.deepEqual(Object.keys(Variables).sort(), [
    'KEELSON_BUCKET',
    'KEELSON_HUB_NAME',
    'KEELSON_KMS_KEY',
    'KEELSON_QUEUE_APPLY',
    'KEELSON_QUEUE_BUILD',
    'KEELSON_QUEUE_HELMRELEASE',
    'KEELSON_QUEUE_NOTIFY',
    'KEELSON_QUEUE_RESOURCESET',
    'KEELSON_QUEUE_SOURCE',
    'KEELSON_SETTINGS',
    'KEELSON_TABLE',
  ])
  const { settings, faults } = readSettings(JSON.parse(named(full, 'apply').Environment.Variables.KEELSON_SETTINGS))
  assert.deepEqual(faults, [])
  assert.deepEqual(settings, {
    ...defaultSettings,
    noCrossNamespaceRefs: true,
    defaultServiceAccount: 'deployer',
    pluginGroups: ['team.example.com'],
  })
  const door = named(full, 'api').Environment.Variables
  assert.deepEqual(Object.keys(door).sort(), ['KEELSON_HUB_NAME', 'KEELSON_SETTINGS'])
  assert.equal(named(full, 'apiserver').Environment.Variables.KEELSON_ADMINS, '["arn:aws:iam::111122223333:role/ops"]')
  assert.deepEqual(JSON.parse(named(full, 'tick').Environment.Variables.KEELSON_ROOT_SOURCE), {
    url: 'https://github.com/acme/fleet',
    branch: 'main',
    path: './hub',
  })
})

test('a domain is one name for the API and the webhooks, in front of both functions, which caches nothing', () => {
  assert.deepEqual(rowsOf(plain, 'AWS::CloudFront::Distribution'), [])
  const [{ Properties }] = rowsOf(full, 'AWS::CloudFront::Distribution') as [
    { readonly Properties: { readonly DistributionConfig: DistributionConfig } },
  ]
  const { Aliases, ViewerCertificate, DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses, Origins } =
    Properties.DistributionConfig
  assert.deepEqual(Aliases, [everything.domainName])
  assert.equal(ViewerCertificate.AcmCertificateArn, everything.certificateArn)
  assert.equal(CacheBehaviors.length, 1)
  assert.equal(CacheBehaviors[0]!.PathPattern, '/hook/*')
  for (const behavior of [DefaultCacheBehavior, ...CacheBehaviors]) {
    assert.equal(behavior.CachePolicyId, '4135ea2d-6df8-44a3-9df3-4b5a84be39ad', 'CachingDisabled')
    assert.equal(behavior.OriginRequestPolicyId, 'b689b0a8-53d0-40ab-baf2-68738e2966ac', 'AllViewerExceptHostHeader')
    assert.equal(behavior.ViewerProtocolPolicy, 'https-only')
    assert.ok(['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].every(method => behavior.AllowedMethods.includes(method)))
  }
  const functionOf = (origin: unknown) => /Functions(api|webhook)Function/.exec(JSON.stringify(origin))?.[1]
  const originOf = ({ TargetOriginId }: Behavior) => functionOf(Origins.find(({ Id }) => Id === TargetOriginId))
  assert.deepEqual([DefaultCacheBehavior, ...CacheBehaviors].map(originOf), ['api', 'webhook'])
  // What CloudFront keeps for ten seconds by itself, without asking who asks: an object that was not there a moment ago, or may not be seen.
  assert.deepEqual(
    CustomErrorResponses,
    [400, 403, 404, 405, 414, 500, 501, 502, 503, 504].map(ErrorCode => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
  )
  assert.deepEqual(
    rowsOf(full, 'AWS::Route53::RecordSet').map(row => [row.Properties.Type, row.Properties.Name]),
    [
      ['A', 'hub.acme.example.'],
      ['AAAA', 'hub.acme.example.'],
    ],
  )
  for (const output of ['HubUrl', 'WebhookUrl']) full.hasOutput(output, { Value: 'https://hub.acme.example/' })
})

test('hears of pushes to ECR and CodeCommit, and of changes in the buckets that sources read', () => {
  const patterns = (template: Template) =>
    rowsOf(template, 'AWS::Events::Rule')
      .filter(({ Properties }) => JSON.stringify(Properties.Targets ?? []).includes('sourceeventFunction'))
      .map(({ Properties: { EventPattern } }) => [
        EventPattern.source,
        EventPattern['detail-type'],
        EventPattern.detail,
      ])
      .sort()
  const ecr = [['aws.ecr'], ['ECR Image Action'], { 'action-type': ['PUSH'], result: ['SUCCESS'] }]
  const events = ['referenceCreated', 'referenceUpdated']
  const codeCommit = [['aws.codecommit'], ['CodeCommit Repository State Change'], { event: events }]
  const s3 = [['aws.s3'], ['Object Created', 'Object Deleted'], { bucket: { name: ['acme-manifests'] } }]
  assert.deepEqual(patterns(plain), [codeCommit, ecr])
  assert.deepEqual(patterns(full), [codeCommit, ecr, s3])
})

test('keeps the data when the stack goes, unless it is told otherwise', () => {
  const stores = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key']
  const policies = (template: Template) =>
    stores.flatMap(type => rowsOf(template, type).map(row => [row.DeletionPolicy, row.UpdateReplacePolicy]))
  assert.deepEqual(
    policies(plain),
    stores.map(() => ['Retain', 'Retain']),
  )
  const removed = templateOf({ removeData: 'true' })
  assert.deepEqual(
    policies(removed),
    stores.map(() => ['Delete', 'Delete']),
  )
  plain.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true })
  removed.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false })
})

test('works on a table that was restored, and keeps its hands off the old one', () => {
  const restored = templateOf({ restoredTable: 'keelson-restored' })
  assert.deepEqual(rowsOf(restored, 'AWS::DynamoDB::Table'), [])
  assert.equal(named(restored, 'apply').Environment.Variables.KEELSON_TABLE, 'keelson-restored')
  const arn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/keelson-restored'
  assert.match(permissionsIn(restored), new RegExp(`Allow ${arn}: dynamodb:BatchGetItem`))
  assert.match(permissionsIn(restored), new RegExp(`Allow ${arn}/index/due: dynamodb:Query`))
})

test('makes a key that other regions may have replicas of, or works with one that is there', () => {
  plain.hasResourceProperties('AWS::KMS::Key', { MultiRegion: Match.absent() })
  templateOf({ multiRegionKey: 'true' }).hasResourceProperties('AWS::KMS::Key', { MultiRegion: true })
  const replica = 'arn:aws:kms:eu-west-1:111122223333:key/mrk-1234abcd12ab34cd56ef1234567890ab'
  const other = templateOf({ masterKey: replica })
  assert.deepEqual([...rowsOf(other, 'AWS::KMS::Key'), ...rowsOf(other, 'AWS::KMS::Alias')], [])
  assert.equal(named(other, 'apply').Environment.Variables.KEELSON_KMS_KEY, replica)
  assert.match(permissionsIn(other), new RegExp(`Allow ${replica}: kms:Decrypt kms:GenerateDataKey if`))
  other.hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: { KMSMasterKeyId: replica } })
})

// The emulator drops most of these settings, so this is where they are held.
test('stores encrypted, recoverable, and for whoever comes by TLS from within', () => {
  plain.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true })
  plain.hasResourceProperties('AWS::DynamoDB::Table', {
    BillingMode: 'PAY_PER_REQUEST',
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'due',
        KeySchema: [
          { AttributeName: 'duePk', KeyType: 'HASH' },
          { AttributeName: 'dueSk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['grp'] },
      },
    ],
  })
  plain.hasResourceProperties('AWS::S3::Bucket', {
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: Match.anyValue() },
        },
      ],
    },
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    VersioningConfiguration: { Status: 'Enabled' },
    LifecycleConfiguration: {
      Rules: [superseded('artifacts', 1), superseded('objects', 35)],
    },
  })
  const tlsOnly = { Effect: 'Deny', Principal: { AWS: '*' }, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }
  for (const type of ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy'])
    plain.allResourcesProperties(type, {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike(tlsOnly)]) },
    })
})

const superseded = (folder: string, days: number) => ({
  Id: `superseded-${folder}`,
  Prefix: `${folder}/`,
  Status: 'Enabled',
  NoncurrentVersionExpiration: { NoncurrentDays: days },
  ExpiredObjectDeleteMarker: true,
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
})

test('gives each stage a queue with dead letters, and a function that reports what of a batch failed', () => {
  const queues = rowsOf(plain, 'AWS::SQS::Queue').map(({ Properties }) => Properties)
  assert.deepEqual(
    queues.map(({ QueueName }) => QueueName).sort(),
    stages.flatMap(stage => [`keelson-${stage}`, `keelson-${stage}-dead-letters`]).sort(),
  )
  for (const { QueueName, SqsManagedSseEnabled, FifoQueue, RedrivePolicy, VisibilityTimeout } of queues) {
    assert.deepEqual([SqsManagedSseEnabled, FifoQueue], [true, undefined], QueueName)
    if (QueueName.endsWith('-dead-letters')) continue
    assert.equal(RedrivePolicy.maxReceiveCount, 5)
    assert.ok(VisibilityTimeout > named(plain, QueueName.replace('keelson-', '')).Timeout)
  }
  const sources = rowsOf(plain, 'AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties)
  assert.equal(sources.length, stages.length)
  for (const { FunctionResponseTypes, ScalingConfig } of sources) {
    assert.deepEqual(FunctionResponseTypes, ['ReportBatchItemFailures'])
    assert.ok(ScalingConfig.MaximumConcurrency >= 2)
  }
})

test('is called by the clock, the registry, forges and kubectl', () => {
  plain.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
  })
  plain.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      source: ['aws.ecr'],
      'detail-type': ['ECR Image Action'],
      detail: { 'action-type': ['PUSH'], result: ['SUCCESS'] },
    },
  })
  const urls = rowsOf(plain, 'AWS::Lambda::Url').map(({ Properties: { AuthType, InvokeMode } }) => [
    AuthType,
    InvokeMode,
  ])
  assert.deepEqual(urls.sort(), [
    ['NONE', 'BUFFERED'],
    ['NONE', 'RESPONSE_STREAM'],
  ])
  assert.deepEqual(Object.keys(plain.findOutputs('*')).sort(), ['HubUrl', 'Kubeconfig', 'WebhookUrl'])
  plain.hasOutput('Kubeconfig', { Value: 'npx keelson kubeconfig --hub keelson --region eu-west-1' })
})

test('may feed its own queues for as long as it takes: health checks, dependencies and retries send the next message', () => {
  const recursive = functionNames.filter(name => named(plain, name).RecursiveLoop === 'Allow')
  assert.deepEqual(recursive.sort(), ['apply', 'build', 'helmrelease', 'notify', 'resourceset', 'source'])
})

test('ticks at the end of a deployment', () => {
  plain.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      source: ['aws.cloudformation'],
      'detail-type': ['CloudFormation Stack Status Change'],
      detail: {
        'stack-id': [{ Ref: 'AWS::StackId' }],
        'status-details': { status: ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'] },
      },
    },
    Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('tick'), 'Arn'] } })],
  })
})

test('warns of a hub that nobody can enter', () => {
  const warnings = (context: Record<string, string>) => {
    const app = new App({ context: { ...flags, ...context }, builtinCloudFormationValidation: false })
    const stack = new HubStack(app, {
      context: readContext(app.node.getAllContext()),
      codeOf: () => Code.fromInline('export const handler = 0'),
    })
    return Annotations.fromStack(stack)
      .findWarning('*', Match.stringLikeRegexp('nobody can enter this hub'))
      .map(({ level }) => level)
  }
  assert.deepEqual(warnings({}), ['warning'])
  assert.deepEqual(warnings({ admins: everything.admins }), [])
})

test('goes through a VPC only where private clusters and sources are reached', () => {
  const inVpc = functionNames.filter(name => named(full, name).VpcConfig !== undefined)
  assert.deepEqual(inVpc.sort(), ['apply', 'build', 'helmcharts', 'helmrelease', 'resourceset', 'source'])
  assert.ok(functionNames.every(name => named(plain, name).VpcConfig === undefined))
})

test('gives a stage more or less of the account where it is told so', () => {
  const concurrency = (template: Template) =>
    rowsOf(template, 'AWS::Lambda::EventSourceMapping').map(
      ({ Properties }) => Properties.ScalingConfig.MaximumConcurrency,
    )
  assert.deepEqual(concurrency(plain), [20, 20, 50, 20, 10, 5])
  assert.deepEqual(concurrency(templateOf({ stageConcurrency: 'apply=200,notify=2' })), [20, 20, 200, 20, 10, 2])
})

test('bounds what callers from outside may take of the account', () => {
  const bounded = (template: Template, most?: number) =>
    functionNames.filter(name => named(template, name).ReservedConcurrentExecutions === most).sort()
  assert.deepEqual(bounded(plain, 50), ['api', 'webhook'])
  assert.deepEqual(bounded(full, 30), ['api', 'webhook'])
  assert.deepEqual(bounded(templateOf({ urlConcurrency: '0' })), [...functionNames].sort())
})

test('lets plugins of a layer run where manifests are built', () => {
  const withLayer = functionNames.filter(name => named(full, name).Layers !== undefined)
  assert.deepEqual(withLayer.sort(), ['apply', 'build'])
  assert.equal(named(full, 'build').Environment.Variables.XDG_CONFIG_HOME, '/opt')
})

test('alarms tell of dead letters, delay, errors and throttling, and by e-mail when there is an address', () => {
  const alarms = rowsOf(full, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties)
  const names = alarms.map(({ AlarmName }) => AlarmName.replace('keelson-', ''))
  const perStage = stages.flatMap(stage => [`${stage}-dead-letters`, `${stage}-behind`])
  const perFunction = functionNames.flatMap(name => [`${name}-errors`, `${name}-throttles`])
  const others = ['tick-missing', 'table-read-throttles', 'table-write-throttles']
  assert.deepEqual(names.sort(), [...perStage, ...perFunction, ...others].sort())
  assert.ok(alarms.every(({ AlarmActions }) => AlarmActions.length === 1))
  assert.ok(rowsOf(plain, 'AWS::CloudWatch::Alarm').every(({ Properties }) => Properties.AlarmActions === undefined))
  full.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@acme.example' })
  full.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.anyValue() })
})
