import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Match, type Template } from 'aws-cdk-lib/assertions'
import { storeFleetRequest } from '../../../events/store-fleet.ts'
import { stages } from '../../../lib/platform/ports/queue.ts'
import { full, functionIn, plain, resourcesOf } from './templates.ts'

test('gives each stage a queue with dead letters, and a function that reports what of a batch failed', () => {
  const queues = resourcesOf(plain, 'AWS::SQS::Queue').map(({ Properties }) => Properties)
  assert.deepEqual(
    queues.map(({ QueueName }) => QueueName).sort(),
    stages.flatMap(stage => [`keelson-${stage}`, `keelson-${stage}-dead-letters`]).sort(),
  )
  for (const { QueueName, SqsManagedSseEnabled, FifoQueue, RedrivePolicy, VisibilityTimeout } of queues) {
    assert.deepEqual([SqsManagedSseEnabled, FifoQueue], [true, undefined], QueueName)
    if (QueueName.endsWith('-dead-letters')) continue
    assert.equal(RedrivePolicy.maxReceiveCount, 5)
    assert.ok(VisibilityTimeout > functionIn(plain, QueueName.replace('keelson-', '')).Timeout)
  }
  const sources = resourcesOf(plain, 'AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties)
  assert.equal(sources.length, stages.length)
  for (const { FunctionResponseTypes, ScalingConfig } of sources) {
    assert.deepEqual(FunctionResponseTypes, ['ReportBatchItemFailures'])
    assert.ok(ScalingConfig.MaximumConcurrency >= 2)
  }
})

test('has schedules, rules for events, and two public URLs', () => {
  plain.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
  })
  plain.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'rate(10 minutes)',
    Target: { Input: JSON.stringify(storeFleetRequest), RetryPolicy: { MaximumRetryAttempts: 0 } },
  })
  plain.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      source: ['aws.ecr'],
      'detail-type': ['ECR Image Action'],
      detail: { 'action-type': ['PUSH'], result: ['SUCCESS'] },
    },
  })
  const urls = resourcesOf(plain, 'AWS::Lambda::Url').map(({ Properties: { AuthType, InvokeMode } }) => [
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

test('receives events of pushes to ECR and CodeCommit, and of changes in the buckets of sources', () => {
  const patterns = (template: Template) =>
    resourcesOf(template, 'AWS::Events::Rule')
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

test('invokes the tick at the end of a deployment', () => {
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
