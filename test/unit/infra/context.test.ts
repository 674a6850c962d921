import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContextError, deploymentSettings, readContext } from '../../../infra/context.ts'
import { settingDeclarations } from '../../../lib/compose/settings/setting-options.ts'

const read = (values: Record<string, unknown>) => readContext(values)

const faultsOf = (values: Record<string, unknown>): readonly string[] => {
  try {
    read(values)
    return []
  } catch (error) {
    assert.ok(error instanceof ContextError)
    return error.faults
  }
}

const defaults = {
  hubName: 'keelson',
  admins: [],
  authenticationConfig: undefined,
  auditLog: undefined,
  auditPolicy: undefined,
  rootSource: undefined,
  domainName: undefined,
  certificateArn: undefined,
  hostedZoneId: undefined,
  vpcId: undefined,
  alarmEmail: undefined,
  assumeRoles: [],
  sopsKeys: [],
  sourceBuckets: [],
  pluginLayerArn: undefined,
  stageConcurrency: {},
  urlConcurrency: 50,
  architecture: 'arm64',
  tracing: false,
  restoredTable: undefined,
  multiRegionKey: false,
  masterKey: undefined,
  removeData: false,
  settings: {},
}

test('needs nothing for a first try', () => {
  assert.deepEqual(read({}), defaults)
})

test('reads values as the command line gives them, and as cdk.json does', () => {
  const admins = [
    'arn:aws:iam::111122223333:role/team/ops',
    'arn:aws-cn:iam::111122223333:user/eve',
    'arn:aws:sts::111122223333:assumed-role/ops/eve@acme.example', // as `aws sts get-caller-identity` tells it
  ]
  const sopsKeys = ['arn:aws:kms:eu-west-1:111122223333:key/mrk-0123abcd']
  const expected = {
    ...defaults,
    hubName: 'prod-eu',
    admins,
    rootSource: { url: 'https://github.com/acme/fleet', branch: 'main', path: './clusters/hub', secret: undefined },
    vpcId: 'vpc-0123456789abcdef0',
    sopsKeys,
    stageConcurrency: { source: 40, apply: 100 },
    architecture: 'x86_64',
  }
  const rest = {
    hubName: 'prod-eu',
    rootSource: 'https://github.com/acme/fleet//clusters/hub?ref=main',
    vpcId: 'vpc-0123456789abcdef0',
    stageConcurrency: 'source=40,apply=100',
    architecture: 'x86_64',
  }
  assert.deepEqual(
    read({ ...rest, admins: admins.join(', '), sopsKeys: sopsKeys[0], noRemoteBases: 'true', tracing: '' }),
    { ...expected, settings: { noRemoteBases: 'true' } },
  )
  assert.deepEqual(read({ ...rest, admins, sopsKeys, noRemoteBases: true, removeData: 'false' }), {
    ...expected,
    settings: { noRemoteBases: true },
  })
})

test('a domain needs its certificate, of the region that CloudFront requires', () => {
  const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/1111-2222'
  const domain = { domainName: 'hub.acme.example', certificateArn, hostedZoneId: 'Z012345' }
  assert.deepEqual(faultsOf(domain), [])
  assert.match(faultsOf({ ...domain, certificateArn: '' }).join(), /^certificateArn is missing: /)
  assert.match(faultsOf({ certificateArn }).join(), /^domainName is missing: /)
  assert.match(faultsOf({ hostedZoneId: 'Z012345' }).join(), /^domainName is missing: hostedZoneId has no effect/)
  const elsewhere = certificateArn.replace('us-east-1', 'eu-west-1')
  assert.match(faultsOf({ ...domain, certificateArn: elsewhere }).join(), /certificateArn .*us-east-1/)
  for (const domainName of [
    'hub',
    'https://hub.acme.example',
    'Hub.acme.example',
    'hub.acme.example/',
    '*.acme.example',
  ])
    assert.match(faultsOf({ ...domain, domainName }).join(), /domainName/, domainName)
})

test('takes a policy of the audit log with a retention that CloudWatch Logs has', () => {
  assert.equal(read({ auditLog: '365' }).auditLog, 365)
  assert.equal(read({ auditLog: 90, auditPolicy: 'policy.yaml' }).auditPolicy, 'policy.yaml')
  assert.match(faultsOf({ auditLog: '100' }).join(), /^auditLog is "100": expected one of the retentions .* 90, 120, /)
  assert.deepEqual(faultsOf({ auditPolicy: 'policy.yaml' }), [
    'auditLog is missing: auditPolicy has no effect without it',
  ])
})

test('takes numbers as text and as numbers', () => {
  assert.equal(read({ urlConcurrency: '50' }).urlConcurrency, 50)
  assert.equal(read({ urlConcurrency: 50 }).urlConcurrency, 50)
})

test('names every key that is not as it must be, with the form that is expected', () => {
  assert.deepEqual(
    faultsOf({
      hubName: 'Prod',
      admins: 'arn:aws:iam::111122223333:role/ok,bob',
      vpcId: 'my-vpc',
      alarmEmail: 'ops',
      noCrossNamespaceRefs: 'yes',
      defaultServiceAccount: 'Some One',
      requeueDependency: 'soon',
      concurrentSsa: '0',
      artifactDigestAlgo: 'blake3',
      featureGates: 'ExternalArtifact=yes',
      assumeRoles: { role: 'x' },
      sopsKeys: ['alias/sops'],
      sourceBuckets: 's3://bucket',
      pluginLayerArn: 'arn:aws:lambda:eu-west-1:111122223333:layer:name',
      stageConcurrency: 'source=40,fetch=3',
      urlConcurrency: '-1',
      architecture: 'riscv',
    }),
    [
      'hubName is "Prod": expected lower-case letters, digits and dashes, 30 at most',
      'admins holds "bob": expected IAM ARNs as arn:aws:iam::111122223333:role/name or :user/name',
      'vpcId is "my-vpc": expected the id of a VPC as vpc-0123456789abcdef0',
      'alarmEmail is "ops": expected an e-mail address',
      'assumeRoles is {"role":"x"}: expected role ARNs as arn:aws:iam::111122223333:role/name, separated by commas',
      'sopsKeys holds "alias/sops": expected KMS key ARNs as arn:aws:kms:eu-west-1:111122223333:key/id',
      'sourceBuckets holds "s3://bucket": expected names of S3 buckets',
      'pluginLayerArn is "arn:aws:lambda:eu-west-1:111122223333:layer:name": expected the ARN of a layer version as arn:aws:lambda:eu-west-1:111122223333:layer:name:1',
      'urlConcurrency is "-1": expected a number from 0 to 10000',
      'architecture is "riscv": expected arm64 or x86_64',
      'stageConcurrency holds "fetch=3": expected name=value, separated by commas: the names are source, build, apply, helmrelease, resourceset, notify; a value is a number from 2 to 1000',
      'noCrossNamespaceRefs is "yes": expected true or false',
      'defaultServiceAccount is "Some One": expected the name of an object: lower-case letters, digits, dashes and dots',
      'concurrentSsa is "0": expected a whole number, 1 or more',
      'artifactDigestAlgo is "blake3": expected sha256 or sha384 or sha512',
      'requeueDependency is "soon": expected a duration such as 90s or 1m30s',
      'featureGates holds "ExternalArtifact=yes": expected name=value, separated by commas: the names are ObjectLevelWorkloadIdentity, StrictPostBuildSubstitutions, ExternalArtifact, AdditiveCELDependencyCheck, CancelHealthCheckOnNewRevision, DisableFailFastBehavior, DefaultToRetryOnFailure, DisableChartDigestTracking, UseHelm3Defaults, MigrateAPIVersion, GitForcePushBranch, GitAllBranchReferences, GitShallowClone, GitSparseCheckout; a value is true or false',
    ].sort((a, b) => order(a) - order(b)),
  )
})

/** Faults come in the order in which keys are documented. */
const keys = [...Object.keys(deploymentSettings), ...Object.keys(settingDeclarations)]
const order = (fault: string) => keys.indexOf(fault.split(' ')[0]!)

test('refuses keys that there are not, with the nearest one that there is', () => {
  const given = {
    hubname: 'x',
    'alarm-email': 'x',
    noCrossNamespaceRef: true,
    featuregates: 'x',
    concurrent: 3,
  }
  assert.deepEqual(faultsOf(given), [
    'hubname is unknown: did you mean hubName?',
    'alarm-email is unknown: did you mean alarmEmail?',
    'noCrossNamespaceRef is unknown: did you mean noCrossNamespaceRefs?',
    'featuregates is unknown: did you mean featureGates?',
    'concurrent is unknown: did you mean concurrentSsa?',
  ])
})

test('leaves alone what the CDK keeps in the context', () => {
  const lookup = 'vpc-provider:account=111122223333:filter.vpc-id=vpc-0:region=eu-west-1'
  assert.deepEqual(
    read({ '@aws-cdk/core:flag': true, 'aws:cdk:bundling-stacks': ['**'], [lookup]: {}, 'cli-telemetry': false }),
    defaults,
  )
})

test('shows no root source that it refuses: there may be a password in it', () => {
  const [fault, ...more] = faultsOf({ rootSource: 'https://user:hunter2@github.com/acme/fleet' })
  assert.equal(
    fault,
    'rootSource has the wrong format: expected https://host/owner/repository[//folder][?ref=branch&secret=name], without credentials',
  )
  assert.deepEqual(more, [])
})
