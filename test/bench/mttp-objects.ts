import type { FileTree } from '../bed/temp-dir.ts'

/** `mono`: a folder for each Kustomization; `one`: one folder for all, with a variable in its names. */
export type DataShape = 'mono' | 'one'

/** The files of the repository, two small objects for each app; another revision changes every app. */
export function appFiles(shape: DataShape, count: number, revision: string): FileTree {
  const files: Record<string, string> = {}
  const apps = shape === 'one' ? [['app', 'app-${INDEX}']] : range(count).map(i => [`apps/${appName(i)}`, appName(i)])
  for (const [path, name] of apps) {
    files[`${path}/kustomization.yaml`] =
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [configmap.yaml, serviceaccount.yaml]\n'
    files[`${path}/configmap.yaml`] =
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  labels:\n    app.kubernetes.io/name: ${name}\ndata:\n  index: "${name}"\n  revision: "${revision}"\n`
    files[`${path}/serviceaccount.yaml`] =
      `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n  labels:\n    app.kubernetes.io/name: ${name}\nautomountServiceAccountToken: false\n`
  }
  return files
}

export interface FluxObjects {
  readonly shape: DataShape
  readonly count: number
  readonly url: string
  /** Kustomizations wait for their objects to be ready. */
  readonly wait: boolean
}

/** One GitRepository and the Kustomizations that apply it through the kubeconfig Secret `target`. */
export function fluxObjects({ shape, count, url, wait }: FluxObjects): string {
  const repository = `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: apps, namespace: bench}
spec: {interval: 10m, timeout: 60s, url: "${url}", ref: {branch: main}}
`
  const kustomizations = range(count).map(i => {
    const [path, variables] =
      shape === 'one'
        ? ['./app', `, postBuild: {substitute: {INDEX: "${String(i).padStart(3, '0')}"}}`]
        : [`./apps/${appName(i)}`, '']
    return `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${appName(i)}, namespace: bench}
spec: {interval: 60m, retryInterval: 2m, timeout: 2m, prune: true, wait: ${wait}, path: ${path}, targetNamespace: bench, kubeConfig: {secretRef: {name: target}}, sourceRef: {kind: GitRepository, name: apps}${variables}}
`
  })
  return [repository, ...kustomizations].join('---\n')
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const appName = (index: number): string => `app-${String(index).padStart(3, '0')}`
