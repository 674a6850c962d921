/**
 * What forges and registries send for one push, with all the fields around those that are read, in the shapes that they document:
 * https://docs.github.com/webhooks, https://docs.gitlab.com/user/project/integrations/webhook_events, https://support.atlassian.com/bitbucket-cloud/docs/event-payloads,
 * https://goharbor.io/docs, https://docs.docker.com/docker-hub/repos/manage/webhooks, https://docs.quay.io/guides/notifications.html,
 * https://cloud.google.com/artifact-registry/docs/configure-notifications, https://help.sonatype.com/en/webhooks.html,
 * https://learn.microsoft.com/azure/container-registry/container-registry-webhook-reference, https://cdevents.dev. Names and hashes are made up.
 */

const before = '4b1f0c2ad5cc7e9b2dbd7ae6a1a1b9a0d4f3e2c1'
const after = 'a7e0c7f7d1c64c8f92d1b0f1d1e2a3b4c5d6e7f8'
const digest = `sha256:${'8f'.repeat(32)}`
const person = { name: 'Ada', email: 'ada@example.com' }

export const githubPush = {
  ref: 'refs/heads/main',
  before,
  after,
  created: false,
  deleted: false,
  forced: false,
  base_ref: null,
  compare: `https://github.com/team/app/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
  repository: {
    id: 186853002,
    name: 'app',
    full_name: 'team/app',
    private: true,
    owner: { ...person, login: 'team', id: 21031067, type: 'Organization' },
    html_url: 'https://github.com/team/app',
    git_url: 'git://github.com/team/app.git',
    ssh_url: 'git@github.com:team/app.git',
    clone_url: 'https://github.com/team/app.git',
    default_branch: 'main',
    pushed_at: 1763683200,
  },
  pusher: person,
  sender: { login: 'ada', id: 21031067, type: 'User' },
  commits: [
    {
      id: after,
      tree_id: 'f9d2a07e9488b91af2641b26b9407fe22a451433',
      distinct: true,
      message: 'Change the app',
      timestamp: '2026-11-21T00:00:00+01:00',
      url: `https://github.com/team/app/commit/${after}`,
      author: person,
      committer: person,
      added: ['deploy/new.yaml'],
      removed: [],
      modified: ['deploy/app.yaml'],
    },
  ],
  head_commit: { id: after, message: 'Change the app', added: [], removed: [], modified: ['deploy/app.yaml'] },
}

export const gitlabPush = {
  object_kind: 'push',
  event_name: 'push',
  before,
  after,
  ref: 'refs/heads/main',
  ref_protected: true,
  checkout_sha: after,
  user_id: 4,
  user_username: 'ada',
  project_id: 15,
  project: {
    id: 15,
    name: 'App',
    web_url: 'https://gitlab.example.com/team/app',
    git_ssh_url: 'git@gitlab.example.com:team/app.git',
    git_http_url: 'https://gitlab.example.com/team/app.git',
    namespace: 'Team',
    visibility_level: 0,
    path_with_namespace: 'team/app',
    default_branch: 'main',
  },
  commits: [
    {
      id: after,
      message: 'Change the app',
      timestamp: '2026-11-21T00:00:00+01:00',
      author: person,
      added: ['CHANGELOG'],
      modified: ['deploy/app.yaml'],
      removed: [],
    },
  ],
  total_commits_count: 1,
  push_options: {},
}

export const bitbucketPush = {
  actor: { type: 'user', display_name: 'Ada', uuid: '{9a5a6a3a-2d3b-4a8c-8b7a-2f7a0f4f3b1c}' },
  repository: {
    type: 'repository',
    full_name: 'team/app',
    links: {
      self: { href: 'https://api.bitbucket.org/2.0/repositories/team/app' },
      html: { href: 'https://bitbucket.org/team/app' },
    },
    name: 'app',
    scm: 'git',
    uuid: '{673a6070-3421-46c9-9d48-90745f7bfe8e}',
  },
  push: {
    changes: [
      {
        new: {
          type: 'branch',
          name: 'main',
          target: { type: 'commit', hash: after, date: '2026-11-21T00:00:00+00:00' },
        },
        old: { type: 'branch', name: 'main', target: { type: 'commit', hash: before } },
        created: false,
        forced: false,
        closed: false,
        truncated: false,
        commits: [{ hash: after, type: 'commit', message: 'Change the app' }],
      },
    ],
  },
}

export const harborPush = {
  type: 'PUSH_ARTIFACT',
  occur_at: 1763683200,
  operator: 'admin',
  event_data: {
    resources: [{ digest, tag: '1.2.3', resource_url: 'harbor.example.com/team/app:1.2.3' }],
    repository: {
      date_created: 1763600000,
      name: 'app',
      namespace: 'team',
      repo_full_name: 'team/app',
      repo_type: 'private',
    },
  },
}

export const dockerHubPush = {
  callback_url: 'https://registry.hub.docker.com/u/team/app/hook/2141b5bi5i5b02bec211i4eeih0242eg11000a/',
  push_data: { pushed_at: 1763683200, pusher: 'ada', tag: '1.2.3', images: [] },
  repository: {
    name: 'app',
    namespace: 'team',
    owner: 'team',
    repo_name: 'team/app',
    repo_url: 'https://hub.docker.com/r/team/app',
    is_private: true,
    status: 'Active',
    star_count: 0,
  },
}

export const quayPush = {
  name: 'app',
  repository: 'team/app',
  namespace: 'team',
  docker_url: 'quay.io/team/app',
  homepage: 'https://quay.io/repository/team/app',
  updated_tags: ['1.2.3'],
}

const artifactRegistryPush = {
  action: 'INSERT',
  digest: `europe-docker.pkg.dev/project/images/app@${digest}`,
  tag: 'europe-docker.pkg.dev/project/images/app:1.2.3',
}

export const pubSubPush = {
  message: {
    data: Buffer.from(JSON.stringify(artifactRegistryPush)).toString('base64'),
    messageId: '2070443601311540',
    message_id: '2070443601311540',
    publishTime: '2026-11-21T00:00:00.123Z',
  },
  subscription: 'projects/project/subscriptions/keelson',
}

export const nexusComponent = {
  timestamp: '2026-11-21T00:00:00.123+0000',
  nodeId: '7FFA7361-6ED33978-36997BD4-47095CC4-331356BE',
  initiator: 'ada/10.0.0.1',
  repositoryName: 'docker-hosted',
  action: 'CREATED',
  component: {
    id: '08909bf0c86cf6c9600aade89e1c5e25',
    componentId: 'ZG9ja2VyOjA4OTA5YmYw',
    format: 'docker',
    name: 'team/app',
    group: null,
    version: '1.2.3',
  },
}

export const acrPush = {
  id: 'cb8c3971-9adc-488b-bdd8-43cbb4974ff5',
  timestamp: '2026-11-21T00:00:00.1234567Z',
  action: 'push',
  target: {
    mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    size: 524,
    digest,
    length: 524,
    repository: 'app',
    tag: '1.2.3',
  },
  request: { id: 'a75e2f3a-6c8f-4b3e-8f6e-6f5a4e7d8c9b', host: 'team.azurecr.io', method: 'PUT', useragent: 'docker' },
}

export const cdEventPublished = {
  context: {
    version: '0.4.1',
    id: '271069a8-fc18-44f1-b38f-9d70a1695819',
    source: '/ci/pipelines/7',
    type: 'dev.cdevents.artifact.published.0.2.0',
    timestamp: '2026-11-21T00:00:00Z',
  },
  subject: { id: `pkg:oci/app@${digest}`, source: '/registry', type: 'artifact', content: { user: 'ada' } },
}

/** From a pipeline, of whatever form its author likes. */
export const pipelineCall = { image: 'ghcr.io/team/app:1.2.3', revision: after }
