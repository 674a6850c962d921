import { bytes } from './go-template-bytes.ts'
import { calls } from './go-template-calls.ts'
import { syntax } from './go-template-syntax.ts'
import { times } from './go-template-times.ts'
import { values } from './go-template-values.ts'
import { words } from './go-template-words.ts'
import { templates } from './go-templates.ts'

export interface Recording {
  /** Templates of ResourceSets by what they show. */
  readonly templates: Readonly<Record<string, readonly string[]>>
  /** What Go makes of each of them: `node test/recorders/template.ts`. */
  readonly file: URL
}

export const recordings: readonly Recording[] = [
  { templates, file: new URL('go-templates.recorded.json', import.meta.url) },
  { templates: calls, file: new URL('go-template-calls.recorded.json', import.meta.url) },
  { templates: words, file: new URL('go-template-words.recorded.json', import.meta.url) },
  { templates: values, file: new URL('go-template-values.recorded.json', import.meta.url) },
  { templates: times, file: new URL('go-template-times.recorded.json', import.meta.url) },
  { templates: bytes, file: new URL('go-template-bytes.recorded.json', import.meta.url) },
  { templates: syntax, file: new URL('go-template-syntax.recorded.json', import.meta.url) },
]
