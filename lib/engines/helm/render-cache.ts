import { TemplateCache } from '../template/template.ts'
import { TextCache } from '../template/text-cache.ts'
import { textOf } from '../template/values/text.ts'
import type { ManifestHead } from './manifest-head.ts'

/** A cache for renderings with the same functions: most templates and documents are unchanged between them. */
export class RenderCache {
  readonly templates = new TemplateCache()
  private readonly texts = new WeakMap<Uint8Array, string>()
  readonly heads = new TextCache<ManifestHead>(4 * 1024 * 1024)

  /** The text of a file. */
  textOf(data: Uint8Array): string {
    let text = this.texts.get(data)
    if (text === undefined) {
      text = textOf(data)
      this.texts.set(data, text)
    }
    return text
  }
}
