import { checkSubdomain } from '../../foundations/kinds/names.ts'
import type { OutputArtifact } from './path-pattern.ts'

interface Spec {
  readonly sources: readonly { readonly alias: string }[]
  readonly artifacts: readonly OutputArtifact[]
  readonly pathPattern?: string
}

/** What is wrong with a spec beyond its schema, with source-watcher's message; undefined if nothing is. */
export const problemOfSpec = ({ sources, artifacts, pathPattern }: Spec): string | undefined => {
  const aliases = new Set<string>()
  for (const { alias } of sources) {
    if (aliases.has(alias)) return `duplicate source alias '${alias}' found`
    aliases.add(alias)
  }
  const names = new Set<string>()
  for (const { name, revision } of artifacts) {
    if (names.has(name)) return `duplicate artifact name '${name}' found`
    names.add(name)
    const problems = pathPattern ? [] : checkSubdomain(name)
    if (problems.length > 0)
      return `artifact name ${JSON.stringify(name)} is not a valid Kubernetes object name: ${problems.join('; ')}`
    const alias = revision?.replace(/^@/, '')
    if (alias && !aliases.has(alias)) return `artifact ${name} revision source alias '${alias}' not found`
  }
  return undefined
}
