/**
 * What a command line does: the programs that people run most, and what they run them for.
 *
 * @module
 */
import { type VerbKind, verbOf } from "../lexicon/verbs.js";
import { nameWords } from "./name-words.js";

interface CommandDeed {
  readonly verb: string;
  readonly kind: VerbKind;
  readonly objects: readonly string[];
}

/** `program: verb/kind object…`. */
const PROGRAMS =
  "lsof:find/ask process port|ps:list/ask processes|pgrep:find/ask processes|netstat:list/ask ports|ss:list/ask ports|top:list/ask processes|" +
  "df:check/ask disk space|du:measure/ask disk usage|free:check/ask memory|uptime:check/ask load|grep:search/ask text|rg:search/ask text|" +
  "find:find/ask files|ls:list/ask files|cat:read/ask file|tail:read/ask log|head:read/ask file|wc:count/compute lines|stat:get/ask file|" +
  "kill:kill/remove process|pkill:kill/remove processes|killall:kill/remove processes|rm:delete/remove files|rmdir:delete/remove folder|" +
  "cp:copy/change files|mv:move/change files|mkdir:create/change folder|touch:create/change file|ln:link/change file|chmod:set/change permissions|" +
  "chown:set/change owner|tar:archive/make files|zip:zip/make files|unzip:extract/make archive|gzip:compress/make files|rsync:sync/change files|" +
  "scp:copy/change files|curl:fetch/ask url|wget:download/ask file|ping:ping/check host|dig:lookup/ask dns|nslookup:lookup/ask dns|host:lookup/ask dns|" +
  "whois:lookup/ask domain|traceroute:trace/ask route|openssl:check/ask certificate|ssh:run/run command|psql:query/ask database|mysql:query/ask database|" +
  "sqlite3:query/ask database|pg_dump:backup/make database|mysqldump:backup/make database|pg_restore:restore/change database|crontab:list/ask cron jobs|" +
  "journalctl:read/ask logs|dmesg:read/ask logs|pytest:run/run tests|vitest:run/run tests|jest:run/run tests|mocha:run/run tests|playwright:run/run tests|" +
  "phpunit:run/run tests|rspec:run/run tests|eslint:lint/check code|biome:lint/check code|ruff:lint/check code|prettier:format/make code|black:format/make code|" +
  "tsc:check/check types|mypy:check/check types|ffmpeg:convert/make video|ffprobe:get/ask video|convert:convert/make image|magick:convert/make image|" +
  "pandoc:convert/make document|make:build/run project|cmake:build/run project|gcc:build/run program|javac:build/run program|mvn:build/run project|gradle:build/run project|" +
  "apt:install/change packages|brew:install/change packages|pip:install/change packages|env:list/ask environment|printenv:list/ask environment|" +
  "date:get/ask date|sleep:wait/run|hostname:get/ask host|whoami:get/ask user|nvidia-smi:check/ask gpu|sensors:check/ask temperature|sha256sum:hash/make file|" +
  "md5sum:hash/make file|diff:diff/compute files|sort:sort/make lines|uniq:dedupe/make lines|sed:replace/change text|awk:extract/make text|jq:extract/make json|" +
  "nmap:scan/ask ports|certbot:renew/change certificate|terraform:plan/run infrastructure|ansible:run/run playbook|helm:deploy/run chart|cloc:count/compute lines|" +
  "tokei:count/compute lines|exiftool:read/ask metadata|pdftotext:extract/make text|tesseract:recognize/make text|yt-dlp:download/ask video|at:schedule/change job|" +
  "crond:schedule/change job|locust:benchmark/run load|k6:benchmark/run load|wrk:benchmark/run load|ab:benchmark/run load|hyperfine:benchmark/run command|ssh-keygen:generate/make key|gpg:encrypt/make file|base64:encode/make text|split:split/make file|cut:extract/make text|watch:monitor/ask|nc:check/check port|telnet:check/check port|iptables:list/ask firewall|who:list/ask users|last:list/ask logins|id:get/ask user|useradd:create/change user|userdel:delete/remove user|usermod:update/change user|passwd:set/change password|shutdown:stop/run machine|reboot:restart/run machine|systemd-analyze:analyze/compute boot|fdisk:list/ask disks|lsblk:list/ask disks|mount:mount/change disk|umount:unmount/change disk|vmstat:measure/ask memory|iostat:measure/ask disk|sar:measure/ask load|tree:list/ask files|file:check/ask file|realpath:get/ask path|truncate:truncate/remove file|shred:delete/remove file|logrotate:rotate/change logs|inkscape:convert/make image|gs:convert/make pdf|qpdf:merge/make pdf|pdfunite:merge/make pdf|wkhtmltopdf:export/make pdf|docker-compose:start/run services|ansible-playbook:run/run playbook|trivy:scan/check image|shellcheck:lint/check script|hadolint:lint/check dockerfile|gitleaks:scan/check secrets|semgrep:scan/check code|snyk:audit/check packages|lighthouse:audit/check page|speedtest:measure/ask bandwidth|iperf3:measure/ask bandwidth|mtr:trace/ask route|arp:list/ask devices|lsusb:list/ask devices|lspci:list/ask devices|xclip:copy/change text|say:speak/tell text|notify-send:notify/tell|mail:send/tell email|sendmail:send/tell email|mutt:send/tell email";
/** Programs whose next word is the verb, and what they are about. */
const SUBCOMMANDS =
  "git:|gh:|docker:containers|podman:containers|kubectl:|npm:packages|pnpm:packages|yarn:packages|npx:|cargo:crate|go:|systemctl:service|service:service|" +
  "pip:packages|apt:packages|apt-get:packages|pip3:packages|conda:packages|flatpak:packages|apk:packages|pacman:packages|kustomize:|minikube:|nomad:|consul:|vault:|doctl:|rclone:files|restic:backup|borg:backup|zfs:datasets|lvs:volumes|nmcli:network|ip:network|ufw:firewall|certbot:certificate|ollama:models|brew:packages|aws:|gcloud:|az:|terraform:infrastructure|helm:chart|supervisorctl:service|pm2:service|composer:packages|bundle:gems|gem:gems|poetry:packages|uv:packages|snap:packages|dnf:packages|yum:packages|launchctl:service|wrangler:|vercel:|flyctl:|heroku:";
const SUB_VERBS =
  "log:list/ask commits|diff:diff/ask changes|status:check/ask status|blame:blame/ask lines|branch:list/ask branches|tag:list/ask tags|push:push/change commits|" +
  "pull:pull/change changes|fetch:fetch/ask commits|commit:commit/change changes|merge:merge/change branch|rebase:rebase/change branch|checkout:checkout/change branch|" +
  "stash:stash/change changes|clone:clone/change repo|shortlog:count/compute commits|ps:list/ask containers|images:list/ask images|logs:get/ask logs|stats:get/ask stats|" +
  "prune:prune/remove|outdated:list/ask outdated packages|audit:audit/check packages|test:run/run tests|ls:list/ask packages|ci:install/change packages|" +
  "install:install/change packages|run:run/run|exec:run/run|build:build/run|restart:restart/run|start:start/run|stop:stop/run|enable:enable/change|disable:disable/change|" +
  "apply:apply/change|plan:plan/run|get:get/ask|describe:describe/ask|delete:delete/remove|rollout:restart/run deployment|scale:scale/change deployment|rm:delete/remove|" +
  "rmi:delete/remove images|vet:lint/check code|fmt:format/make code|clippy:lint/check code|update:update/change packages|upgrade:upgrade/change packages|" +
  "publish:publish/change package|gc:clean/run|clean:clean/remove files|reset:reset/change|show:show/ask|reflog:list/ask commits|grep:search/ask text|df:check/ask disk usage|" +
  "inspect:inspect/ask|list:list/ask|freeze:list/ask packages|rev-parse:get/ask commit|ls-files:list/ask files|bisect:find/ask commit|worktree:list/ask worktrees|top:list/ask usage|certonly:create/change certificate|renew:renew/change certificate|certificates:list/ask certificates|snapshots:list/ask snapshots|forget:prune/remove snapshots|copy:copy/change|sync:sync/change|ask:get/ask|view:show/ask|search:search/ask|info:get/ask|show-ref:list/ask refs|cherry-pick:pick/change commit|revert:revert/change commit|init:create/change|up:start/run|down:stop/run|kill:kill/remove|pause:pause/run|cp:copy/change|save:save/change|load:load/change|login:login/run|cordon:cordon/change node|drain:drain/remove node|autoremove:remove/remove packages|remove:remove/remove packages|uninstall:uninstall/remove packages|purge:remove/remove packages|hold:pin/change packages|reload:refresh/change|is-active:check/ask|is-enabled:check/ask|list-units:list/ask services|check:check/check|lint:lint/check|validate:validate/check|output:get/ask outputs|import:import/change|destroy:delete/remove|allow:allow/change|deny:block/change";

const PROGRAM_DEEDS = table(PROGRAMS);
const SUB_DEEDS = table(SUB_VERBS);
const SUB_PROGRAMS: ReadonlyMap<string, string> = new Map(
  SUBCOMMANDS.split("|").map((entry) => {
    const [name = "", about = ""] = entry.split(":");
    return [name, about] as const;
  }),
);

export function commandDeed(line: string): CommandDeed | undefined {
  let best: CommandDeed | undefined;
  // What comes last counts, unless it only shapes the text before: `ps aux | sort | head`.
  for (const part of line.slice(0, 2_000).split(/&&|\|\||;|\n/)) {
    // What is only said into a pipe is nothing that is done.
    const first = part.split("|").find((one) => !/^\s*(?:echo|printf|yes|true|set|cd|export)\b/.test(one));
    const deed = oneCommand(first ?? "");
    if (deed !== undefined && (best === undefined || best.kind === "ask" || deed.kind !== "ask")) best = deed;
  }
  return best;
}

function oneCommand(part: string): CommandDeed | undefined {
  const words = part
    .trim()
    .split(/\s+/)
    .filter((word) => !/^(?:sudo|nice|time|env|nohup|npx|exec|command|bash|sh|-\S*|\w+=\S*|\d+)$/.test(word));
  const [program = "", ...rest] = words;
  const name = program.split("/").at(-1)?.toLowerCase() ?? "";
  const about = SUB_PROGRAMS.get(name);
  const plain = rest.filter((word) => /^[a-z][a-z-]*$/i.test(word)).map((word) => word.toLowerCase());
  const [first, second] = plain;
  if (about !== undefined && first !== undefined) {
    const known = SUB_DEEDS.get(first) ?? (second === undefined ? undefined : SUB_DEEDS.get(second));
    const objects = [
      ...(known?.objects ?? []),
      ...plain
        .slice(1, 3)
        .filter((word) => word !== second || !SUB_DEEDS.has(word))
        .flatMap(nameWords),
    ];
    const verb = verbOf(first);
    const things = objects.length > 0 ? objects : about === "" ? nameWords(name) : [about];
    if (known !== undefined) return { ...known, objects: [...new Set(things)] };
    return {
      verb: verb?.name ?? "run",
      kind: verb?.kind ?? "run",
      objects: [...new Set([...things, first])],
    };
  }
  return PROGRAM_DEEDS.get(name);
}

function table(text: string): ReadonlyMap<string, CommandDeed> {
  return new Map(
    text.split("|").map((entry) => {
      const [name = "", rest = ""] = entry.split(":");
      const [deed = "", ...objects] = rest.split(" ");
      const [verb = "", kind = ""] = deed.split("/");
      return [name, { verb, kind: kind as VerbKind, objects }] as const;
    }),
  );
}
