import { type BuildOptions, build, printResources } from '../../../../../lib/engines/kustomize/build.ts'
import type {
  LocatedProgram,
  PluginOptions,
  PluginOutcome,
  PluginRequest,
} from '../../../../../lib/engines/kustomize/plugins/exec/plugin-runner.ts'
import { memoryTree } from '../../../../conformance/memory-tree.ts'
import { CONFIG_MAP, type Files, GROUP } from './plugin-scene.ts'

/** What a program answers: text on its standard output, or more. */
export type Answer = string | Partial<PluginOutcome>

/** Programs that are functions, and what they were asked; those at these paths are installed. */
export const programs = (
  answer: (request: PluginRequest) => Answer,
  installed: Readonly<Record<string, Partial<LocatedProgram>>> = {},
) => {
  const requests: PluginRequest[] = []
  const runner: PluginOptions['runner'] = {
    locate: path => installed[path] && { program: `/home/${path}`, executable: true, ...installed[path] },
    run: async request => {
      requests.push(request)
      const given = answer(request)
      return { exitCode: 0, stdout: '', stderr: '', ...(typeof given === 'string' ? { stdout: given } : given) }
    },
  }
  return {
    requests,
    async build(files: Files, plugins: Partial<PluginOptions> = {}, options: BuildOptions = {}): Promise<string> {
      const allowed: PluginOptions = { runner, groups: [GROUP], localFunctions: true, ...plugins }
      const tree = memoryTree({ 'a.yaml': CONFIG_MAP, ...files })
      return printResources((await build(tree, '', { plugins: allowed, ...options })).resources)
    },
  }
}

export const configMap = (name: string, ...lines: readonly string[]): string =>
  ['apiVersion: v1', 'kind: ConfigMap', 'metadata:', `  name: ${name}`, ...lines, ''].join('\n')

/** A configuration that asks for a function of the tree, written as YAML. */
export const functionFile = (spec: string, annotation = 'config.kubernetes.io/function'): string =>
  `apiVersion: x/v1\nkind: F\nmetadata:\n  name: f\n  annotations:\n    ${annotation}: |\n      ${spec.replaceAll('\n', '\n      ')}\nsize: big\n`
