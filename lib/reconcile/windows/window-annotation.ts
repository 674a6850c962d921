import { parseYaml } from '../../engines/yaml/parse.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { validateSchema } from '../../foundations/kinds/schema/validate-schema.ts'
import { checkWindows, type Window, windows, windowsAnnotation } from '../../foundations/kinds/window.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'

/** An invalid annotation. The message names the object, the annotation and the field. */
export class WindowsInvalid extends Error {}

const schema = windows('The windows of an object.')

/** The windows in the annotation of an object; none without it. Fails with WindowsInvalid. */
export const annotatedWindows = ({ kind, metadata }: KubernetesObject): readonly Window[] => {
  const text = metadata.annotations?.[windowsAnnotation]
  if (text === undefined) return []
  const name = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name
  const wrong = (problem: string) =>
    new WindowsInvalid(`annotation ${windowsAnnotation} of ${kind} ${name}: ${problem}`)
  const parsed = parsedList(text, wrong)
  const [error] = [...validateSchema(schema, parsed, 'windows')]
  if (error) throw wrong(`${error.field}: ${error.message}`)
  const [problem] = checkWindows(parsed as readonly Window[], 'windows')
  if (problem) throw wrong(`${problem.field}: ${problem.message}`)
  return parsed as readonly Window[]
}

/** JSON is YAML, too. */
const parsedList = (text: string, wrong: (problem: string) => Error): unknown => {
  let documents: readonly unknown[]
  try {
    documents = parseYaml(text)
  } catch (error) {
    throw wrong(errorMessage(error))
  }
  if (documents.length === 1 && Array.isArray(documents[0])) return documents[0]
  throw wrong('must be a list of windows, as in spec.windows of a Cluster')
}
