import assert from 'node:assert/strict'
import {
  type BuildOptions,
  build,
  printResources,
  RemoteStatusError,
  type Remotes,
} from '../../../../lib/engines/kustomize/build.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

export type Files = Record<string, string>

export const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`

/** Remotes that have these files and repositories, by URL, and note what is asked of them. */
export const serving = (files: Files, repositories: Record<string, Files> = {}): Remotes & { asked: string[] } => {
  const asked: string[] = []
  return {
    asked,
    file: async url => {
      asked.push(url)
      if (files[url] === undefined) throw new RemoteStatusError(404, 'Not Found')
      return Buffer.from(files[url])
    },
    repository: async ({ url, ref }) => {
      asked.push(`${url} ${ref}`)
      const tree = repositories[url]
      if (!tree) throw new Error(`no repository at ${url}`)
      return memoryTree(tree)
    },
  }
}

export const output = async (files: Files, options: BuildOptions): Promise<string> =>
  printResources((await build(memoryTree(files), '', options)).resources)

export const failure = async (files: Files, options: BuildOptions): Promise<string> => {
  const error = await output(files, options).then(
    () => assert.fail('was built'),
    error => error as Error,
  )
  assert.equal(error.name, 'KustomizeError')
  return error.message
}

export const LIB = 'https://git.example/org/lib'
export const BASE: Files = { 'base/kustomization.yaml': 'resources: [pod.yaml]\n', 'base/pod.yaml': pod('app') }
