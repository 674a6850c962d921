import { isPrintable } from '../../../foundations/go/quote.ts'
import { bytesOf } from '../values/text.ts'

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
}

/** template.HTMLEscapeString: quotes become numeric references, and a NUL the replacement character. */
export const escapeHtml = (text: string): string => text.replace(/["'&<>\0]/g, c => HTML[c]!)

/** As text/template's `js`: safe inside a quoted JavaScript string in HTML. */
export const escapeJs = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are escaped too
  text.replace(/[\\'"<>&=\x00-\x1f]|[^\x00-\x7f]/gu, c => {
    if (c === '\\' || c === "'" || c === '"') return `\\${c}`
    const code = c.codePointAt(0)!
    return code >= 0x80 && (isPrintable(c) || !c.isWellFormed())
      ? c
      : `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
  })

/** url.QueryEscape: everything but letters, digits and -_.~ as %XX, a space as plus. */
export const escapeQuery = (text: string): string =>
  text
    .split(/([\udc80-\udcff])/u)
    .map(part => (part.isWellFormed() ? encodeURIComponent(part) : `%${bytesOf(part).toString('hex').toUpperCase()}`))
    .join('')
    .replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
