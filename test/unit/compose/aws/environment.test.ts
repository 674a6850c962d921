import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAwsEnvironment } from '../../../../lib/compose/aws/environment.ts'
import { defaultSettings } from '../../../../lib/compose/settings/settings.ts'

const variables = {
  AWS_REGION: 'eu-west-1',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1536',
  KEELSON_HUB_NAME: 'fleet',
  KEELSON_TABLE: 't',
  KEELSON_BUCKET: 'b',
  KEELSON_KMS_KEY: 'k',
  ...Object.fromEntries(
    ['SOURCE', 'BUILD', 'APPLY', 'HELMRELEASE', 'RESOURCESET', 'NOTIFY'].map(n => [`KEELSON_QUEUE_${n}`, n]),
  ),
}

test('reads what cdk deploy sets', () => {
  const more = {
    KEELSON_SETTINGS: JSON.stringify({
      noCrossNamespaceRefs: true,
      defaultServiceAccount: 'deployer',
      concurrentSsa: '5',
    }),
    KEELSON_ADMINS: '["arn:aws:iam::123456789012:role/admin"]',
    KEELSON_ROOT_SOURCE: '{"url":"https://github.com/acme/fleet","path":"./hub"}',
  }
  assert.deepEqual(readAwsEnvironment({ ...variables, ...more }), {
    ...{ hubName: 'fleet', table: 't', bucket: 'b', kmsKey: 'k', region: 'eu-west-1', memoryGb: 1.5 },
    queues: {
      ...{ source: 'SOURCE', build: 'BUILD', apply: 'APPLY' },
      ...{ helmrelease: 'HELMRELEASE', resourceset: 'RESOURCESET', notify: 'NOTIFY' },
    },
    settings: {
      ...defaultSettings,
      noCrossNamespaceRefs: true,
      defaultServiceAccount: 'deployer',
      concurrentApplies: 5,
    },
    admins: ['arn:aws:iam::123456789012:role/admin'],
    rootSource: { url: 'https://github.com/acme/fleet', path: './hub' },
    docs: 'docs',
  })
  assert.deepEqual(readAwsEnvironment(variables).settings, defaultSettings)
})

test('reports all faults at once, each with its variable', () => {
  const { KEELSON_TABLE: _, ...others } = variables
  const wrong = {
    ...{
      KEELSON_BUCKET: '',
      KEELSON_SETTINGS: '{"concurrentSsa":"none","noRemoteBase":true}',
      KEELSON_ADMINS: '["me"]',
      KEELSON_ROOT_SOURCE: '[',
    },
  }
  assert.throws(() => readAwsEnvironment({ ...others, ...wrong }), {
    name: 'EnvironmentError',
    message:
      'invalid environment: KEELSON_TABLE is not set; KEELSON_BUCKET is not set; ' +
      'KEELSON_SETTINGS: noRemoteBase is unknown: did you mean noRemoteBases?; ' +
      'KEELSON_SETTINGS: concurrentSsa is "none": expected a whole number, 1 or more; ' +
      'KEELSON_ADMINS is not a JSON list of IAM ARNs; KEELSON_ROOT_SOURCE is not a JSON object with url and path',
  })
})

test('puts requests on record in a log group, in a stream of its own, by a policy in the code of the function', () => {
  assert.equal(readAwsEnvironment({ ...variables, AWS_LAMBDA_LOG_STREAM_NAME: 's' }).audit, undefined)
  const more = { ...variables, KEELSON_AUDIT_LOG_GROUP: 'audit', AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/28/[$LATEST]0a' }
  assert.deepEqual(readAwsEnvironment(more).audit, { group: 'audit', stream: '2026/11/28/[$LATEST]0a' })
  const policy = { KEELSON_AUDIT_POLICY_FILE: 'p.yaml', LAMBDA_TASK_ROOT: '/var/task' }
  assert.equal(readAwsEnvironment({ ...more, ...policy }).audit?.policyFile, '/var/task/p.yaml')
})

test('finds the authentication configuration in the code of the function', () => {
  const more = { ...variables, KEELSON_AUTHENTICATION_FILE: 'a.yaml', LAMBDA_TASK_ROOT: '/var/task' }
  assert.equal(readAwsEnvironment(more).authenticationFile, '/var/task/a.yaml')
})
