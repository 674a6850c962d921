import { type BuildOptions, build, printResources } from '../../../../lib/engines/kustomize/build.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

export type Files = Record<string, string>

export const output = async (files: Files, path: string, options: BuildOptions): Promise<string> =>
  printResources((await build(memoryTree(files), path, options)).resources)

export const service = (namespace: string, name = 'test-service'): string =>
  `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n`
