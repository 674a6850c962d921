import { EventError, fieldsOf } from './event-error.ts'

const event = 'push to Amazon ECR'

/** An EventBridge event for a push; the tag is absent if only a digest was pushed. */
export interface EcrPush {
  readonly registry: string
  readonly repository: string
  readonly tag?: string
  /** Digest of the pushed artifact: `sha256:...`. */
  readonly digest?: string
}

/** Parses an `ECR Image Action` event of EventBridge; undefined for all actions except successful pushes. Fails with EventError. */
export const parseEcrPush = (input: unknown): EcrPush | undefined => {
  const message = fieldsOf(event, input)
  const detail = message.object('detail')
  if (detail.text('action-type') !== 'PUSH' || detail.text('result') !== 'SUCCESS') return undefined
  const region = message.text('region')
  const account = message.text('account')
  if (!/^\d{12}$/.test(account)) throw new EventError(event, 'account is not a number of 12 digits')
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const tag = detail.optionalText('image-tag')
  const digest = detail.optionalText('image-digest')
  return {
    registry: `${account}.dkr.ecr.${region}.${suffix}`,
    repository: detail.text('repository-name'),
    ...(tag && { tag }),
    ...(digest && { digest }),
  }
}

/** From the Amazon ECR user guide. */
export const sample = {
  version: '0',
  id: '13cde686-328b-6117-af20-0e5566167482',
  'detail-type': 'ECR Image Action',
  source: 'aws.ecr',
  account: '123456789012',
  time: '2019-11-16T01:54:34Z',
  region: 'us-west-2',
  resources: [],
  detail: {
    result: 'SUCCESS',
    'repository-name': 'my-repository-name',
    'image-digest': 'sha256:7f5b2640fe6fb4f46592dfd3410c4a79dac4f89e4782432e0378abcd1234',
    'action-type': 'PUSH',
    'image-tag': 'latest',
  },
}
