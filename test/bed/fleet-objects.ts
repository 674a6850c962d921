import { readFileSync } from 'node:fs'
import type { Cluster } from './cluster.ts'
import type { GitRepo } from './git-repo.ts'

/** Objects with which many scenes begin, in the namespace default, as documents of one YAML file. */

/** Where a Kustomization finds the cluster to write to. */
export const kubeconfigSecret = (name: string, { kubeconfig }: Pick<Cluster, 'kubeconfig'>): string => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: default}
stringData:
  value: |
    ${readFileSync(kubeconfig, 'utf8').replaceAll('\n', '\n    ')}
---`

/** The GitRepository `fleet`. */
export const fleetRepository = ({ url }: Pick<GitRepo, 'url'>, labels = '{}'): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: default, labels: ${labels}}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
---`
