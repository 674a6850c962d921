import { fieldsOf } from './event-error.ts'

const event = 'change of a bucket in Amazon S3'

/** An EventBridge event for an object that was written or deleted. */
export interface BucketChange {
  readonly bucketName: string
  readonly key: string
}

/** Parses an `Object Created` or `Object Deleted` event of EventBridge. Fails with EventError. */
export const parseBucketChange = (input: unknown): BucketChange => {
  const detail = fieldsOf(event, input).object('detail')
  return { bucketName: detail.object('bucket').text('name'), key: detail.object('object').text('key') }
}

/** From the Amazon S3 user guide. */
export const sample = {
  version: '0',
  id: '17793124-05d4-b198-2fde-7ededc63b103',
  'detail-type': 'Object Created',
  source: 'aws.s3',
  account: '111122223333',
  time: '2021-11-12T00:00:00Z',
  region: 'ca-central-1',
  resources: ['arn:aws:s3:::amzn-s3-demo-bucket1'],
  detail: {
    version: '0',
    bucket: { name: 'amzn-s3-demo-bucket1' },
    object: {
      key: 'example-key',
      size: 5,
      etag: 'b1946ac92492d2347c6235b4d2611184',
      'version-id': 'IYV3p45BT0ac8hjHg1houSdS1a.Mro8e',
      sequencer: '617f08299329d189',
    },
    'request-id': 'N4N7GDK58NMKJ12R',
    requester: '123456789012',
    'source-ip-address': '1.2.3.4',
    reason: 'PutObject',
  },
}
