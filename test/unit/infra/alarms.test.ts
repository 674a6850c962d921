import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Annotations, Match } from 'aws-cdk-lib/assertions'
import { functionNames } from '../../../infra/functions.ts'
import { stages } from '../../../lib/platform/ports/queue.ts'
import { everything, full, plain, resourcesOf, stackOf } from './templates.ts'

test('warns of a hub that nobody has access to', () => {
  const warnings = (context: Record<string, string>) =>
    Annotations.fromStack(stackOf(context))
      .findWarning('*', Match.stringLikeRegexp('nobody has access to this hub'))
      .map(({ level }) => level)
  assert.deepEqual(warnings({}), ['warning'])
  assert.deepEqual(warnings({ admins: everything.admins }), [])
})

test('alarms report dead letters, delay, errors and throttling, by e-mail when there is an address', () => {
  const alarms = resourcesOf(full, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties)
  const names = alarms.map(({ AlarmName }) => AlarmName.replace('keelson-', ''))
  const perStage = stages.flatMap(stage => [`${stage}-dead-letters`, `${stage}-behind`])
  const perFunction = functionNames.flatMap(name => [`${name}-errors`, `${name}-throttles`])
  const others = ['tick-missing', 'credentials-expiring', 'table-read-throttles', 'table-write-throttles']
  assert.deepEqual(names.sort(), [...perStage, ...perFunction, ...others].sort())
  assert.ok(alarms.every(({ AlarmActions }) => AlarmActions.length === 1))
  assert.ok(
    resourcesOf(plain, 'AWS::CloudWatch::Alarm').every(({ Properties }) => Properties.AlarmActions === undefined),
  )
  full.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@acme.example' })
  full.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.anyValue() })
})
