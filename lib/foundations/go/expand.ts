/** regexp.Expand: replaces `$1`, `${1}`, `$name` and `${name}` by groups of a match; `$$` is a dollar sign. A number has no leading zeros. */
export const expand = (template: string, group: (group: number | string) => string): string =>
  template.replace(/\$(?:(\$)|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu, (_, dollar, braced, bare) => {
    if (dollar) return '$'
    const name = (braced ?? bare) as string
    return group(/^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : name)
  })
