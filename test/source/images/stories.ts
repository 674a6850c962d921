/** Stories of ImageRepositories and ImagePolicies, which are played to image-reflector-controller (test/recorders/images.ts) and to a hub. */
export interface Step {
  /** Tags to push, by repository. */
  readonly push?: Readonly<Record<string, readonly string[]>>
  /** Secrets and ServiceAccounts that come first. */
  readonly create?: readonly {
    readonly kind: 'Secret' | 'ServiceAccount'
    readonly name: string
    readonly rest: object
  }[]
  readonly apply?: readonly Applied[]
  /** Objects that are asked for a pass. */
  readonly request?: readonly (readonly [kind: string, name: string])[]
}

interface Applied {
  readonly kind: 'ImageRepository' | 'ImagePolicy'
  readonly name: string
  /** In the namespace beside that of the story, which has the label `tenant: team`. */
  readonly elsewhere?: true
  readonly spec: object
}

/** In texts of specs: the address of the registry, and the namespace of the story. */
export const [registry, namespace] = ['registry.story', 'namespace-of-the-story']

const repository = (name: string, spec: object = {}): Applied => ({
  ...{ kind: 'ImageRepository', name },
  spec: { image: `${registry}/app`, interval: '10h', insecure: true, ...spec },
})
const policy = (name: string, spec: object, more: { readonly elsewhere?: true } = {}): Applied => ({
  ...{ kind: 'ImagePolicy', name, ...more },
  spec: { imageRepositoryRef: { name: 'app' }, policy: { semver: { range: '>=1.0.0' } }, ...spec },
})
const tags = ['1.0.0', '1.1.0', 'v1.1.0', '2.0.0-rc.1', 'main-12', 'main-3', 'latest', 'sha256-0.sig']

export const stories: Readonly<Record<string, readonly Step[]>> = {
  'a scan, policies of each kind, and a newer tag': [
    {
      push: { app: tags },
      apply: [
        repository('app'),
        policy('semver', {}),
        policy('prerelease', { policy: { semver: { range: '>=1.0.0-0' } } }),
        policy('alphabetical', { policy: { alphabetical: {} } }),
        policy('first', { policy: { alphabetical: { order: 'desc' } } }),
        policy('numerical', {
          policy: { numerical: { order: 'asc' } },
          filterTags: { pattern: '^main-(?P<n>[0-9]+)$', extract: '$n' },
        }),
        policy('filtered', {
          policy: { alphabetical: { order: 'asc' } },
          filterTags: { pattern: '^main-(?P<n>[0-9]+)$', extract: '${n}x' },
        }),
        policy('whole', { policy: { alphabetical: {} }, filterTags: { pattern: '^main-' } }),
      ],
    },
    { push: { app: ['1.2.0'] }, request: [['ImageRepository', 'app']] },
    { apply: [repository('app', { exclusionList: ['^1'] })] },
  ],
  digests: [
    {
      push: { app: ['1.0.0'] },
      apply: [
        repository('app'),
        policy('once', { digestReflectionPolicy: 'IfNotPresent' }),
        policy('always', { digestReflectionPolicy: 'Always', interval: '10h' }),
      ],
    },
  ],
  'names of images that stall': [
    {
      apply: [
        repository('scheme', { image: `https://${registry}/app` }),
        repository('tag', { image: `${registry}/app:1.0` }),
        repository('upper', { image: `${registry}/App` }),
        repository('short', { image: 'nginx:1' }),
        repository('empty', { image: '' }),
        policy('of-one', { imageRepositoryRef: { name: 'scheme' } }),
      ],
    },
  ],
  'an expression that excludes nothing': [
    { push: { app: ['1.0.0'] }, apply: [repository('app', { exclusionList: ['('] })] },
  ],
  'policies that can not be used': [
    {
      push: { app: tags },
      apply: [
        repository('app'),
        policy('none', { policy: {} }),
        policy('range', { policy: { semver: { range: '>=x.y.z.' } } }),
        policy('expression', { policy: { alphabetical: {} }, filterTags: { pattern: '(' } }),
        policy('number', { policy: { numerical: {} } }),
        policy('nothing', { filterTags: { pattern: '^none$' } }),
        policy('out-of-range', { policy: { semver: { range: '>=9' } } }),
      ],
    },
  ],
  'what is missing': [
    {
      apply: [
        repository('secret', { secretRef: { name: 'none' } }),
        repository('certificate', { certSecretRef: { name: 'none' } }),
        repository('proxy', { proxySecretRef: { name: 'none' } }),
        repository('account', { serviceAccountName: 'none' }),
        repository('image', { image: `${registry}/none` }),
        policy('no-repository', {}),
        policy('unscanned', { imageRepositoryRef: { name: 'image' } }),
      ],
    },
  ],
  'Secrets that do not fit': [
    {
      push: { app: ['1.0.0'] },
      create: [
        { kind: 'Secret', name: 'opaque', rest: { stringData: { username: 'a', password: 'b' } } },
        { kind: 'Secret', name: 'no-address', rest: { stringData: { username: 'a' } } },
      ],
      apply: [
        repository('secret', { secretRef: { name: 'opaque' } }),
        repository('certificate', { certSecretRef: { name: 'opaque' } }),
        repository('proxy', { proxySecretRef: { name: 'no-address' } }),
      ],
    },
  ],
  'repositories of another namespace': [
    {
      push: { app: ['1.0.0'] },
      apply: [
        repository('closed'),
        repository('others', { accessFrom: { namespaceSelectors: [{ matchLabels: { tenant: 'other' } }] } }),
        repository('open', { accessFrom: { namespaceSelectors: [{ matchLabels: { tenant: 'team' } }] } }),
        repository('everyone', { accessFrom: { namespaceSelectors: [{}] } }),
        ...['closed', 'others', 'open', 'everyone', 'none'].map(name =>
          policy(name, { imageRepositoryRef: { name, namespace } }, { elsewhere: true }),
        ),
      ],
    },
  ],
  'a suspended repository and policy': [
    { push: { app: ['1.0.0'] }, apply: [repository('app'), policy('app', {})] },
    { apply: [repository('app', { suspend: true, image: `${registry}/other` }), policy('app', { suspend: true })] },
  ],
}

export interface Seen {
  /** By kind and name: conditions in a line each, and the rest of the status. */
  readonly objects: Readonly<Record<string, { readonly conditions: readonly string[]; readonly status: object }>>
  readonly events: readonly string[]
}

type Condition = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>

/** A status as recordings have it: without times, and without what differs from registry to registry. */
export const statusSeen = (status: Readonly<Record<string, unknown>> = {}) => {
  const { conditions = [], lastScanResult, lastHandledReconcileAt: _, ...rest } = status
  const { scanTime: __, ...scan } = (lastScanResult ?? {}) as Record<string, unknown>
  return {
    conditions: (conditions as readonly Condition[])
      .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`)
      .sort(),
    status: { ...rest, ...(lastScanResult !== undefined && { lastScanResult: scan }) },
  }
}

/** Events that tell of no change come as chance would have it. */
export const isEventSeen = (message: string): boolean => !/next scan in/.test(message)
