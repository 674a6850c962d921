import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Template } from 'aws-cdk-lib/assertions'
import { auditPolicyFile, authenticationFile, functionNames } from '../../../infra/functions.ts'
import { readSettings } from '../../../lib/compose/settings/setting-options.ts'
import { defaultSettings } from '../../../lib/compose/settings/settings.ts'
import { permissionsIn } from './permissions-in.ts'
import { everything, full, functionIn, plain, resourcesOf, templateOf } from './templates.ts'

// A change of permissions needs a review of the snapshots: `node --test --test-update-snapshots test/unit/infra/functions.test.ts`
test('every function has a role of its own with the permissions for its work', t => {
  const text = { serializers: [(value: unknown) => String(value)] }
  t.assert.fileSnapshot(permissionsIn(plain), join(import.meta.dirname, 'permissions.txt'), text)
  t.assert.fileSnapshot(permissionsIn(full), join(import.meta.dirname, 'permissions-with-everything.txt'), text)
})

test('runs each function on Node 24 and arm64, with its own bounded log', () => {
  const functions = resourcesOf(plain, 'AWS::Lambda::Function')
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
  const logs = resourcesOf(plain, 'AWS::Logs::LogGroup')
  assert.deepEqual(
    logs.map(({ Properties }) => Properties.RetentionInDays),
    functionNames.map(() => 30),
  )
})

test('puts requests to the API on record in an encrypted log group that outlives the stack, and only apiserver writes it', () => {
  const [id, log] = Object.entries(full.findResources('AWS::Logs::LogGroup')).find(([id]) => id.startsWith('AuditLog'))!
  const [key] = Object.keys(full.findResources('AWS::KMS::Key'))
  assert.equal(log.Properties.RetentionInDays, 365)
  assert.deepEqual(log.Properties.KmsKeyId, { 'Fn::GetAtt': [key, 'Arn'] })
  assert.deepEqual([log.DeletionPolicy, log.UpdateReplacePolicy], ['Retain', 'Retain'])
  const ofLogs = JSON.stringify(resourcesOf(full, 'AWS::KMS::Key')[0]!.Properties.KeyPolicy)
  assert.match(ofLogs, /"Service":"logs\.eu-west-1\.amazonaws\.com"/)
  assert.match(
    ofLogs,
    /"kms:EncryptionContext:aws:logs:arn":"arn:aws:logs:eu-west-1:111122223333:log-group:keelson-AuditLog\*"/,
  )
  const writers = functionNames.filter(name => {
    const [role] = functionIn(full, name).Role['Fn::GetAtt']
    return resourcesOf(full, 'AWS::IAM::Policy').some(
      ({ Properties }) => JSON.stringify(Properties.Roles).includes(role) && JSON.stringify(Properties).includes(id),
    )
  })
  assert.deepEqual(writers, ['apiserver'])
  const variables = functionIn(full, 'apiserver').Environment.Variables
  assert.deepEqual(variables.KEELSON_AUDIT_LOG_GROUP, { Ref: id })
  assert.equal(variables.KEELSON_AUDIT_POLICY_FILE, auditPolicyFile)
  assert.deepEqual(resourcesOf(templateOf({ auditLog: '30' }), 'AWS::KMS::Key').length, 1)
})

test('gives functions their environment', () => {
  const { Variables } = functionIn(plain, 'source').Environment
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
  const fileOf = (template: Template, name: string) =>
    functionIn(template, name).Environment.Variables.KEELSON_AUTHENTICATION_FILE
  assert.deepEqual(
    [fileOf(full, 'apiserver'), fileOf(full, 'api'), fileOf(plain, 'apiserver')],
    [authenticationFile, undefined, undefined],
  )
  const { settings, faults } = readSettings(
    JSON.parse(functionIn(full, 'apply').Environment.Variables.KEELSON_SETTINGS),
  )
  assert.deepEqual(faults, [])
  assert.deepEqual(settings, {
    ...defaultSettings,
    noCrossNamespaceRefs: true,
    defaultServiceAccount: 'deployer',
    pluginGroups: ['team.example.com'],
    consoleUrl: `https://${everything.domainName}`,
  })
  const proxy = functionIn(full, 'api').Environment.Variables
  assert.deepEqual(Object.keys(proxy).sort(), ['KEELSON_HUB_NAME', 'KEELSON_SETTINGS'])
  assert.equal(
    functionIn(full, 'apiserver').Environment.Variables.KEELSON_ADMINS,
    '["arn:aws:iam::111122223333:role/ops"]',
  )
  assert.deepEqual(JSON.parse(functionIn(full, 'tick').Environment.Variables.KEELSON_ROOT_SOURCE), {
    url: 'https://github.com/acme/fleet',
    branch: 'main',
    path: './hub',
  })
})

test('allows stages to enqueue themselves without limit: health checks, dependencies and retries send the next message', () => {
  const recursive = functionNames.filter(name => functionIn(plain, name).RecursiveLoop === 'Allow')
  assert.deepEqual(recursive.sort(), ['apply', 'build', 'helmrelease', 'notify', 'resourceset', 'source'])
})

test('runs only those functions in a VPC that connect to private clusters and sources', () => {
  const inVpc = functionNames.filter(name => functionIn(full, name).VpcConfig !== undefined)
  assert.deepEqual(inVpc.sort(), ['apply', 'build', 'helmcharts', 'helmrelease', 'live', 'resourceset', 'source'])
  assert.ok(functionNames.every(name => functionIn(plain, name).VpcConfig === undefined))
})

test('sets the concurrency of stages', () => {
  const concurrency = (template: Template) =>
    resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
      ({ Properties }) => Properties.ScalingConfig.MaximumConcurrency,
    )
  assert.deepEqual(concurrency(plain), [20, 20, 50, 20, 10, 5])
  assert.deepEqual(concurrency(templateOf({ stageConcurrency: 'apply=200,notify=2' })), [20, 20, 200, 20, 10, 2])
})

test('reserves concurrency for public functions', () => {
  const bounded = (template: Template, most?: number) =>
    functionNames.filter(name => functionIn(template, name).ReservedConcurrentExecutions === most).sort()
  assert.deepEqual(bounded(plain, 50), ['api', 'webhook'])
  assert.deepEqual(bounded(full, 30), ['api', 'webhook'])
  assert.deepEqual(bounded(templateOf({ urlConcurrency: '0' })), [...functionNames].sort())
})

test('adds the layer with plugins to the functions that build manifests', () => {
  const withLayer = functionNames.filter(name => functionIn(full, name).Layers !== undefined)
  assert.deepEqual(withLayer.sort(), ['apply', 'build'])
  assert.equal(functionIn(full, 'build').Environment.Variables.XDG_CONFIG_HOME, '/opt')
})
