import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContextError, readContext } from '../../../infra/context.ts'

const read = (values: Record<string, unknown>) => readContext(key => values[key], Object.keys(values))

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
  rootSource: undefined,
  vpcId: undefined,
  alarmEmail: undefined,
  noCrossNamespaceRefs: false,
  noRemoteBases: false,
  defaultServiceAccount: undefined,
  assumeRoles: [],
  sopsKeys: [],
  sourceBuckets: [],
  pluginGroups: [],
  pluginLayerArn: undefined,
  urlConcurrency: undefined,
  architecture: 'arm64',
  tracing: false,
  restoredTable: undefined,
  removeData: false,
}

test('needs nothing for a first try', () => {
  assert.deepEqual(read({}), defaults)
})

test('reads values as the command line gives them, and as cdk.json does', () => {
  const admins = ['arn:aws:iam::111122223333:role/team/ops', 'arn:aws-cn:iam::111122223333:user/eve']
  const sopsKeys = ['arn:aws:kms:eu-west-1:111122223333:key/mrk-0123abcd']
  const expected = {
    ...defaults,
    hubName: 'prod-eu',
    admins,
    rootSource: { url: 'https://github.com/acme/fleet', branch: 'main', path: './clusters/hub', secret: undefined },
    vpcId: 'vpc-0123456789abcdef0',
    noCrossNamespaceRefs: true,
    sopsKeys,
    architecture: 'x86_64',
  }
  const rest = {
    hubName: 'prod-eu',
    rootSource: 'https://github.com/acme/fleet//clusters/hub?ref=main',
    vpcId: 'vpc-0123456789abcdef0',
    architecture: 'x86_64',
  }
  assert.deepEqual(
    read({ ...rest, admins: admins.join(', '), sopsKeys: sopsKeys[0], noCrossNamespaceRefs: 'true', tracing: '' }),
    expected,
  )
  assert.deepEqual(read({ ...rest, admins, sopsKeys, noCrossNamespaceRefs: true, removeData: 'false' }), expected)
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
      assumeRoles: { role: 'x' },
      sopsKeys: ['alias/sops', 7],
      sourceBuckets: 's3://bucket',
      pluginLayerArn: 'arn:aws:lambda:eu-west-1:111122223333:layer:name',
      urlConcurrency: '0',
      architecture: 'riscv',
    }),
    [
      'hubName is "Prod": expected lower-case letters, digits and dashes, 30 at most',
      'admins holds "bob": expected IAM ARNs as arn:aws:iam::111122223333:role/name or :user/name',
      'vpcId is "my-vpc": expected the id of a VPC as vpc-0123456789abcdef0',
      'alarmEmail is "ops": expected an e-mail address',
      'noCrossNamespaceRefs is "yes": expected true or false',
      'defaultServiceAccount is "Some One": expected the name of a ServiceAccount',
      'assumeRoles is {"role":"x"}: expected role ARNs as arn:aws:iam::111122223333:role/name, separated by commas',
      'sopsKeys holds "alias/sops": expected KMS key ARNs as arn:aws:kms:eu-west-1:111122223333:key/id',
      'sopsKeys holds 7: expected KMS key ARNs as arn:aws:kms:eu-west-1:111122223333:key/id',
      'sourceBuckets holds "s3://bucket": expected names of S3 buckets',
      'pluginLayerArn is "arn:aws:lambda:eu-west-1:111122223333:layer:name": expected the ARN of a layer version as arn:aws:lambda:eu-west-1:111122223333:layer:name:1',
      'urlConcurrency is "0": expected a number of functions, 1 or more',
      'architecture is "riscv": expected arm64 or x86_64',
    ].sort((a, b) => order(a) - order(b)),
  )
})

/** Faults come in the order of the keys. */
const order = (fault: string) => Object.keys(defaults).indexOf(fault.split(' ')[0]!)

test('tells what a key is called when only its case is wrong', () => {
  assert.deepEqual(faultsOf({ hubname: 'x', ALARMEMAIL: 'x', '@aws-cdk/core:flag': true }), [
    'hubname is no key of this deployment: expected hubName',
    'ALARMEMAIL is no key of this deployment: expected alarmEmail',
  ])
})

test('shows no root source that it refuses: there may be a password in it', () => {
  const [fault, ...more] = faultsOf({ rootSource: 'https://user:hunter2@github.com/acme/fleet' })
  assert.equal(
    fault,
    'rootSource is of another form: expected https://host/owner/repository[//folder][?ref=branch&secret=name], without credentials',
  )
  assert.deepEqual(more, [])
})
