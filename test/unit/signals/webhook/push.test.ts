import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repositoryAddress } from '../../../../lib/foundations/kinds/repository-address.ts'
import { readPush } from '../../../../lib/signals/webhook/push.ts'

const commit = '1'.repeat(40)
const digest = `sha256:${'2'.repeat(64)}`

/** Payloads cut down to what is read, in the shapes that the senders document. */
const payloads: Readonly<
  Record<
    string,
    {
      readonly payload: object
      readonly repository: string
      readonly versions: readonly string[]
      readonly content?: string
    }
  >
> = {
  'GitHub, Gitea, Forgejo and Gogs': {
    payload: { ref: 'refs/heads/main', after: commit, repository: { clone_url: 'https://github.com/team/app.git' } },
    repository: 'github.com/team/app',
    versions: ['refs/heads/main'],
    content: commit,
  },
  GitLab: {
    payload: { ref: 'refs/tags/v1', after: commit, project: { git_ssh_url: 'git@gitlab.com:team/app.git' } },
    repository: 'gitlab.com/team/app',
    versions: ['refs/tags/v1'],
    content: commit,
  },
  'Bitbucket Cloud': {
    payload: {
      repository: { links: { html: { href: 'https://bitbucket.org/team/app' } } },
      push: {
        changes: [
          { new: { type: 'branch', name: 'main', target: { hash: commit } } },
          { new: null, old: { type: 'tag', name: 'v1' } },
        ],
      },
    },
    repository: 'bitbucket.org/team/app',
    versions: ['refs/heads/main', 'refs/tags/v1'],
    content: commit,
  },
  'Bitbucket Data Center': {
    payload: {
      repository: { links: { clone: [{ href: 'ssh://git@bitbucket.example.com:7999/team/app.git', name: 'ssh' }] } },
      changes: [{ ref: { id: 'refs/heads/main', type: 'BRANCH' }, toHash: commit }],
    },
    repository: 'bitbucket.example.com:7999/team/app',
    versions: ['refs/heads/main'],
    content: commit,
  },
  'Azure DevOps': {
    payload: {
      eventType: 'git.push',
      resource: {
        refUpdates: [{ name: 'refs/heads/main', newObjectId: commit }],
        repository: { remoteUrl: 'https://team@dev.azure.com/team/p/_git/app' },
      },
    },
    repository: 'dev.azure.com/team/p/_git/app',
    versions: ['refs/heads/main'],
    content: commit,
  },
  'GitHub Container Registry': {
    payload: {
      action: 'published',
      package: {
        package_type: 'CONTAINER',
        name: 'app',
        owner: { login: 'team' },
        package_version: { container_metadata: { tag: { name: '1.2.3', digest } } },
      },
    },
    repository: 'ghcr.io/team/app',
    versions: ['1.2.3'],
    content: digest,
  },
  'Docker Hub': {
    payload: { push_data: { tag: '1.2.3' }, repository: { repo_name: 'team/app' } },
    repository: 'docker.io/team/app',
    versions: ['1.2.3'],
  },
  Quay: {
    payload: { docker_url: 'quay.io/team/app', updated_tags: ['1.2.3', 'latest'] },
    repository: 'quay.io/team/app',
    versions: ['1.2.3', 'latest'],
  },
  Harbor: {
    payload: {
      type: 'PUSH_ARTIFACT',
      event_data: { resources: [{ tag: '1.2.3', digest, resource_url: 'harbor.example.com:8443/team/app:1.2.3' }] },
    },
    repository: 'harbor.example.com:8443/team/app',
    versions: ['1.2.3'],
    content: digest,
  },
  'Azure Container Registry': {
    payload: {
      action: 'push',
      target: { repository: 'app', tag: '1.2.3', digest },
      request: { host: 'team.azurecr.io' },
    },
    repository: 'team.azurecr.io/app',
    versions: ['1.2.3'],
    content: digest,
  },
  'Google Artifact Registry': {
    payload: {
      action: 'INSERT',
      digest: `europe-docker.pkg.dev/p/r/app@${digest}`,
      tag: 'europe-docker.pkg.dev/p/r/app:1',
    },
    repository: 'europe-docker.pkg.dev/p/r/app',
    versions: ['1'],
    content: digest,
  },
  'CNCF distribution': {
    payload: {
      events: [
        { action: 'pull', target: { repository: 'app' }, request: { host: 'registry.example.com' } },
        {
          action: 'push',
          target: { repository: 'app', tag: '1.2.3', digest },
          request: { host: 'registry.example.com' },
        },
      ],
    },
    repository: 'registry.example.com/app',
    versions: ['1.2.3'],
    content: digest,
  },
}

for (const [sender, { payload, repository, versions, content }] of Object.entries(payloads))
  test(`reads what ${sender} says was pushed`, () => {
    const contents = new Map(content ? [[versions[0]!, content]] : [])
    assert.deepEqual(readPush(payload), { repositories: new Set([repository]), versions, contents })
  })

test('a push without a tag may be any version', () => {
  const push = readPush({ action: 'INSERT', digest: 'gcr.io/p/app@sha256:0a' })
  assert.deepEqual(push, { repositories: new Set(['gcr.io/p/app']), versions: [], contents: new Map() })
})

test('a branch that was deleted has no effect', () => {
  const payload = { ref: 'refs/heads/old', after: '0'.repeat(40), repository: { clone_url: 'https://github.com/a/b' } }
  assert.deepEqual(readPush(payload)?.contents, new Map())
})

test('other payloads say nothing of what was pushed', () => {
  for (const payload of [
    null,
    1,
    'text',
    [],
    {},
    { ref: 'refs/heads/main' },
    { ref: 1, repository: {} },
    { push: { changes: 7 } },
  ])
    assert.equal(readPush(payload), undefined, JSON.stringify(payload))
})

test('a repository has one address, however it is written', () => {
  const forms = [
    'https://Git.Example.com/team/app',
    'https://user:password@git.example.com/team/app.git/',
    'http://git.example.com:80/team/app?x=1',
    'ssh://git@git.example.com:22/team/app.git',
    'git@git.example.com:team/app.git',
    'oci://git.example.com/team/app',
    'git.example.com/team/app',
  ]
  assert.deepEqual([...new Set(forms.map(repositoryAddress))], ['git.example.com/team/app'])
  assert.equal(repositoryAddress('git.example.com:8443/team/App'), 'git.example.com:8443/team/App')
})
