import { stringNode } from '../../../yaml/node.ts'
import { KustomizeError } from '../../kustomize-error.ts'
import { createPath, setFieldOf } from '../../node-path.ts'
import { readResources } from '../../read-resources.ts'
import type { Resource } from '../../resource.ts'
import type { ResourceId } from '../../resource-id.ts'
import type { Generator, PluginEnvironment, Transformer } from '../plugin.ts'
import { takeGeneratorOptions } from './plugin-output.ts'
import type { PluginRunner } from './plugin-runner.ts'
import { replaceResources } from './replace-resources.ts'
import { runProgram, yamlStream } from './run-program.ts'

const ID_ANNOTATION = 'kustomize.config.k8s.io/id'
const CONFIG_FILE = '.kustomize-plugin-config.yaml'

/**
 * The layout of kustomize's alpha plugins: `plugin/<group>/<version>/<kind in lower case>/<Kind>`, called with the path of its configuration
 * and further arguments from it.
 */
export const legacyPlugin = (
  runner: PluginRunner,
  config: Resource,
  environment: PluginEnvironment,
): (Generator & Transformer) | undefined => {
  const { group, version, kind } = config.originalId()
  const path = ['plugin', group, version, kind.toLowerCase(), kind].filter(part => part !== '').join('/')
  const found = runner.locate(path)
  if (!found) return undefined
  if (found.problem) throw new KustomizeError(found.problem)
  if (!found.executable) throw new KustomizeError(`unexecutable plugin at: ${found.program}`)
  const text = config.toYaml()
  const args = argumentsOf(config, environment)

  const call = async (input: string): Promise<Resource[]> => {
    const files = new Map([...environment.loader.filesBelow(), [CONFIG_FILE, Buffer.from(text)]])
    const request = {
      program: { installed: found.program },
      args: [CONFIG_FILE, ...args],
      stdin: input,
      environment: { KUSTOMIZE_PLUGIN_CONFIG_STRING: text, KUSTOMIZE_PLUGIN_CONFIG_ROOT: '.' },
    }
    const withConfig: PluginRunner = { ...runner, run: own => runner.run({ ...own, files }) }
    const output = await runProgram(withConfig, path, request, environment)
    if (output === undefined) throw new KustomizeError(`failure in plugin ${path}; exit status 127`)
    return readResources(output, environment, {
      file: config.origin.file,
      overlay: environment.loader.directory,
    })
  }
  return {
    generate: async () => takeGeneratorOptions(await call('')),
    async run(map) {
      const marked = map.list.map(resource => {
        const copy = resource.clone()
        const annotations = createPath(copy.node!, ['metadata', 'annotations'], 'map')!
        setFieldOf(annotations, ID_ANNOTATION, stringNode(idText(resource.currentId())))
        return copy
      })
      const returned = await call(yamlStream(marked))
      for (const resource of returned) {
        const annotations = new Map(resource.annotations())
        annotations.delete(ID_ANNOTATION)
        resource.setAnnotations(annotations)
      }
      replaceResources(map, returned, path)
    },
  }
}

const idText = ({ group, version, kind, name, namespace }: ResourceId): string =>
  Object.entries({ group, version, kind, name, namespace })
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')

/** `argsOneLiner`, split as a shell does, then the lines of `argsFromFile`. */
const argumentsOf = (config: Resource, { loader }: PluginEnvironment): string[] => {
  const { argsOneLiner, argsFromFile } = config.toJson()
  const args = typeof argsOneLiner === 'string' ? splitWords(argsOneLiner) : []
  if (typeof argsFromFile !== 'string') return args
  const lines = Buffer.from(loader.load(argsFromFile)).toString().split('\n')
  return [...args, ...lines.map(line => line.replace(/^ +/, '')).filter(line => line !== '')]
}

/** Splits a line at white space as a shell does: quotes and backslashes keep it, and nothing is expanded. */
export const splitWords = (text: string): string[] => {
  const words: string[] = []
  for (const match of text.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g))
    words.push(
      match[0].replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double, single, escaped) =>
        double !== undefined ? double.replace(/\\(["\\])/g, '$1') : (single ?? escaped),
      ),
    )
  return words
}
