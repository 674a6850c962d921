import type { KustomizeTree } from '../../../../bed/kustomize-oracle.ts'

/** Trees that a group of tests is about, by what they show. */
export type Trees = Readonly<Record<string, readonly KustomizeTree[]>>

/** A kustomization at the root of a tree, with what else there is; `path` when another is to be built. */
export const tree = (
  kustomization: string,
  files: Readonly<Record<string, string>> = {},
  more: Partial<Omit<KustomizeTree, 'files'>> = {},
): KustomizeTree => ({ files: { 'kustomization.yaml': kustomization, ...files }, path: '', ...more })
