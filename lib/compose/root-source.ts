import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { Hub } from '../hub/store/hub.ts'

/** The repository and folder that a new hub bootstraps itself from. */
export interface RootSource {
  /** URL of the git repository: https or ssh. */
  readonly url: string
  /** By default GitRepository's own default (`master`). */
  readonly branch?: string
  /** Folder within the repository, `./` at its start. */
  readonly path: string
  /** Secret of the namespace `keelson-system` with the repository's credentials. */
  readonly secret?: string
}

/** The syntax that `parseRootSource` accepts. */
export const rootSourceForm = 'https://host/owner/repository[//folder][?ref=branch&secret=name]'

/**
 * Parses a root source in kustomize's syntax for remote folders, for example `https://github.com/acme/fleet//clusters/hub?ref=main`;
 * undefined for other text, and for URLs with credentials.
 */
export const parseRootSource = (text: string): RootSource | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['https:', 'ssh:', 'http:'].includes(url.protocol)) return undefined
  if (url.password || (url.username && url.protocol !== 'ssh:') || url.hash) return undefined
  const unknown = [...url.searchParams.keys()].filter(key => key !== 'ref' && key !== 'secret')
  const [repository = '', folder = '', ...rest] = url.pathname.split('//')
  if (unknown.length > 0 || rest.length > 0 || repository.length < 2) return undefined
  if (folder.split('/').includes('..')) return undefined
  const user = url.username && `${url.username}@`
  return {
    url: `${url.protocol}//${user}${url.host}${repository}`,
    branch: url.searchParams.get('ref') || undefined,
    path: `./${folder.replace(/\/+$/, '')}`,
    secret: url.searchParams.get('secret') || undefined,
  }
}

const systemNamespace = 'keelson-system'

/**
 * Applies the GitRepository and the Kustomization `root` for the source to the hub. Uses server-side apply: repeating it changes nothing,
 * and fields that others set (a suspension, for instance) stay theirs.
 */
export const ensureRootSource = async (hub: Pick<Hub, 'patch'>, source: RootSource): Promise<void> => {
  for (const object of rootObjects(source)) {
    const { namespace = '', name = '' } = object.metadata
    const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0]! : ''
    const ref = { group, kind: object.kind, namespace, name }
    await hub.patch(ref, { type: 'apply', object }, { fieldManager: 'keelson-root', force: true })
  }
}

const rootObjects = ({ url, branch, path, secret }: RootSource): KubernetesObject[] => {
  const metadata = { name: 'root', namespace: systemNamespace }
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } },
    {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata,
      spec: {
        interval: '5m',
        url,
        ...(branch && { ref: { branch } }),
        ...(secret && { secretRef: { name: secret } }),
      },
    } as KubernetesObject,
    {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata,
      spec: { interval: '10m', path, prune: true, sourceRef: { kind: 'GitRepository', name: 'root' } },
    } as KubernetesObject,
  ]
}
