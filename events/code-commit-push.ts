import { EventError, fieldsOf } from './event-error.ts'

const event = 'push to AWS CodeCommit'

/** An EventBridge event for a push that created or moved a branch or tag. */
export interface CodeCommitPush {
  /** The URL of GitRepositories without its scheme: `git-codecommit.<region>.amazonaws.com/v1/repos/<name>`. */
  readonly address: string
  /** `refs/heads/main` */
  readonly version: string
  readonly commit: string
}

/**
 * Parses a `CodeCommit Repository State Change` event of EventBridge; undefined if no branch or tag was created or moved. Fails with EventError.
 */
export const parseCodeCommitPush = (input: unknown): CodeCommitPush | undefined => {
  const message = fieldsOf(event, input)
  const detail = message.object('detail')
  if (!['referenceCreated', 'referenceUpdated'].includes(detail.text('event'))) return undefined
  const region = message.text('region')
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const version = detail.text('referenceFullName')
  if (!version.startsWith('refs/'))
    throw new EventError(event, 'detail.referenceFullName is not the full name of a reference')
  const address = `git-codecommit.${region}.${suffix}/v1/repos/${detail.text('repositoryName')}`
  return { address, version, commit: detail.text('commitId') }
}

/** From the CodeCommit user guide, with a full commit ID. */
export const sample = {
  version: '0',
  id: '01234567-EXAMPLE',
  'detail-type': 'CodeCommit Repository State Change',
  source: 'aws.codecommit',
  account: '123456789012',
  time: '2019-06-12T10:23:43Z',
  region: 'us-east-2',
  resources: ['arn:aws:codecommit:us-east-2:123456789012:MyDemoRepo'],
  detail: {
    event: 'referenceUpdated',
    repositoryName: 'MyDemoRepo',
    repositoryId: '12345678-1234-5678-abcd-12345678abcd',
    referenceType: 'branch',
    referenceName: 'myBranch',
    referenceFullName: 'refs/heads/myBranch',
    commitId: '7f5b2640fe6fb4f46592dfd3410c4a79dac4f89e',
    oldCommitId: '26a8f2c9e4d1b3705a6f8c9d0e1f2a3b4c5d6e7f',
  },
}
