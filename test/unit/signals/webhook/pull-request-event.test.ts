import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForkAllowed, readPullRequest } from '../../../../lib/signals/webhook/pull-request-event.ts'

const sha = 'b0b3e4f5a6978869584736251403020100ffeedd'

/** The parts of each forge's documented payload that are read, of request 7 from `change` into `main`. */
const payloads: Readonly<
  Record<string, { payload: unknown; ref: string; repositories: readonly string[]; author?: string }>
> = {
  // https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request; Gitea and Forgejo send the same fields.
  github: {
    payload: {
      action: 'synchronize',
      number: 7,
      pull_request: {
        ...{ number: 7, state: 'open', user: { login: 'ada' } },
        head: { ref: 'change', sha, repo: { full_name: 'Org/App' } },
        base: { ref: 'main', repo: { full_name: 'org/app' } },
      },
      repository: {
        ...{ clone_url: 'https://github.com/org/app.git', ssh_url: 'git@github.com:org/app.git' },
        html_url: 'https://github.com/org/app',
      },
    },
    ref: 'refs/pull/7/head',
    repositories: ['github.com/org/app'],
  },
  // https://docs.gitlab.com/user/project/integrations/webhook_events/#merge-request-events
  gitlab: {
    payload: {
      object_kind: 'merge_request',
      user: { username: 'ada' },
      project: { git_http_url: 'https://gitlab.com/org/sub/app.git', web_url: 'https://gitlab.com/org/sub/app' },
      object_attributes: {
        ...{ id: 99, iid: 7, state: 'opened', target_branch: 'main', source_branch: 'change' },
        source: { path_with_namespace: 'org/sub/app' },
        target: { path_with_namespace: 'org/sub/app' },
        last_commit: { id: sha },
      },
    },
    ref: 'refs/merge-requests/7/head',
    repositories: ['gitlab.com/org/sub/app'],
  },
  // https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Pull-request-events
  bitbucket: {
    payload: {
      actor: { nickname: 'grace' },
      repository: { full_name: 'org/app', links: { html: { href: 'https://bitbucket.org/org/app' } } },
      pullrequest: {
        ...{ id: 7, state: 'OPEN', author: { nickname: 'ada' } },
        source: {
          branch: { name: 'change' },
          commit: { hash: sha.slice(0, 12) },
          repository: { full_name: 'org/app' },
        },
        destination: { branch: { name: 'main' }, repository: { full_name: 'org/app' } },
      },
    },
    ref: 'refs/heads/change',
    repositories: ['bitbucket.org/org/app'],
  },
  // https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html
  bitbucketserver: {
    payload: {
      eventKey: 'pr:from_ref_updated',
      pullRequest: {
        ...{ id: 7, state: 'OPEN', author: { user: { name: 'ada' } } },
        fromRef: { id: 'refs/heads/change', latestCommit: sha, repository: { slug: 'app', project: { key: 'ORG' } } },
        toRef: {
          id: 'refs/heads/main',
          repository: {
            ...{ slug: 'app', project: { key: 'ORG' } },
            links: {
              clone: [
                { href: 'https://git.example.com/scm/org/app.git' },
                { href: 'ssh://git@git.example.com:7999/org/app.git' },
              ],
            },
          },
        },
      },
    },
    ref: 'refs/pull-requests/7/from',
    repositories: ['git.example.com/scm/org/app', 'git.example.com:7999/org/app'],
  },
  // https://learn.microsoft.com/azure/devops/service-hooks/events#git.pullrequest.updated
  azuredevops: {
    payload: {
      eventType: 'git.pullrequest.updated',
      resource: {
        ...{ pullRequestId: 7, status: 'active', createdBy: { uniqueName: 'ada' } },
        ...{ sourceRefName: 'refs/heads/change', targetRefName: 'refs/heads/main' },
        lastMergeSourceCommit: { commitId: sha },
        repository: { remoteUrl: 'https://dev.azure.com/org/shop/_git/app' },
      },
    },
    ref: 'refs/heads/change',
    repositories: ['dev.azure.com/org/shop/_git/app'],
  },
}

for (const [forge, { payload, ref, repositories }] of Object.entries(payloads))
  test(`${forge}: the event of a pull request names its number, head, base and repository`, () => {
    const commit = forge === 'bitbucket' ? sha.slice(0, 12) : sha
    assert.deepEqual(readPullRequest(payload), {
      ...{
        repositories: new Set(repositories),
        number: '7',
        ref,
        commit,
        base: 'main',
        author: 'ada',
        fork: undefined,
      },
      isOpen: true,
    })
  })

// biome-ignore lint/suspicious/noExplicitAny: a payload of any shape
const changed = (forge: string, change: (payload: any) => void): unknown => {
  const copy = structuredClone(payloads[forge]!.payload)
  change(copy)
  return copy
}

test('the end of a pull request is known in each forge', () => {
  const ends = {
    github: changed('github', ({ pull_request }) => Object.assign(pull_request, { state: 'closed' })),
    gitlab: changed('gitlab', ({ object_attributes }) => Object.assign(object_attributes, { state: 'merged' })),
    bitbucket: changed('bitbucket', ({ pullrequest }) => Object.assign(pullrequest, { state: 'MERGED' })),
    bitbucketserver: changed('bitbucketserver', ({ pullRequest }) => Object.assign(pullRequest, { state: 'DECLINED' })),
    azuredevops: changed('azuredevops', ({ resource }) => Object.assign(resource, { status: 'completed' })),
  }
  for (const [forge, payload] of Object.entries(ends)) assert.equal(readPullRequest(payload)?.isOpen, false, forge)
})

test('a fork is known in each forge, also one whose repository was deleted', () => {
  const forks: Readonly<Record<string, unknown>> = {
    'mallory/app': changed('github', ({ pull_request }) =>
      Object.assign(pull_request.head.repo, { full_name: 'mallory/app' }),
    ),
    '?': changed('github', ({ pull_request }) => Object.assign(pull_request.head, { repo: null })),
    'mallory/sub': changed('gitlab', ({ object_attributes }) =>
      Object.assign(object_attributes.source, { path_with_namespace: 'mallory/sub' }),
    ),
    'mallory/cloud': changed('bitbucket', ({ pullrequest }) =>
      Object.assign(pullrequest.source.repository, { full_name: 'mallory/cloud' }),
    ),
    '~MALLORY/app': changed('bitbucketserver', ({ pullRequest }) =>
      Object.assign(pullRequest.fromRef.repository, { project: { key: '~MALLORY' } }),
    ),
    'app.mallory': changed('azuredevops', ({ resource }) =>
      Object.assign(resource, { forkSource: { repository: { name: 'app.mallory' } } }),
    ),
  }
  for (const [fork, payload] of Object.entries(forks)) assert.equal(readPullRequest(payload)?.fork, fork)
})

test('a fork is planned only if its owner or itself is listed', () => {
  assert.equal(isForkAllowed('mallory/app'), false)
  assert.equal(isForkAllowed('mallory/app', ''), false)
  assert.equal(isForkAllowed('mallory/app', 'ada, grace/app'), false)
  assert.equal(isForkAllowed('Ada/app', 'ada, grace/app'), true)
  assert.equal(isForkAllowed('grace/app', 'ada, grace/app'), true)
  assert.equal(isForkAllowed('grace/other', 'ada, grace/app'), false)
  assert.equal(isForkAllowed('mallory/app', '*'), true)
  assert.equal(isForkAllowed('?', 'ada'), false)
})

test('what is no pull request, and what git must not get, is not read', () => {
  assert.equal(
    readPullRequest({ ref: 'refs/heads/main', after: sha, repository: { clone_url: 'https://github.com/org/app' } }),
    undefined,
  )
  assert.equal(readPullRequest(undefined), undefined)
  assert.equal(readPullRequest([]), undefined)
  const wrong = [
    changed('azuredevops', ({ resource }) => Object.assign(resource, { sourceRefName: 'refs/heads/../../x' })),
    changed('azuredevops', ({ resource }) => Object.assign(resource, { sourceRefName: '--upload-pack=x' })),
    changed('bitbucket', ({ pullrequest }) => Object.assign(pullrequest.source.branch, { name: 'a b\nwant' })),
    changed('github', ({ pull_request }) => Object.assign(pull_request, { number: '7; x' })),
    changed('github', ({ pull_request }) => Object.assign(pull_request, { number: -1 })),
    changed('github', ({ pull_request }) => Object.assign(pull_request.head, { sha: 'HEAD' })),
    changed('github', ({ pull_request }) => Object.assign(pull_request.base, { ref: '' })),
  ]
  for (const payload of wrong) assert.equal(readPullRequest(payload), undefined, JSON.stringify(payload))
})
