#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The HTML report in a real browser: it is seen, fits a phone, and complains about nothing.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# browse [OPTION...] FILE: headless, no network, everything of it below $T. Its log is "log".
browse()
{
	local page=${*: -1}

	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--hide-scrollbars --user-data-dir="$T/.browser" --allow-file-access-from-files \
		--enable-logging=stderr --host-resolver-rules='MAP * ~NOTFOUND' \
		--virtual-time-budget=5000 "${@:1:$#-1}" "file://$T/$page" 2>log
}

need_browser()
{
	command -v chromium >/dev/null || skip "no chromium here"
	export HOME=$T XDG_CACHE_HOME=$T/.cache XDG_CONFIG_HOME=$T/.config
}

no_complaint()
{
	! grep -E 'CONSOLE|Uncaught|Refused to' log || fail "the console has something to say"
}

sample_page()
{
	"$IOTEST" report --format html "$SOURCE_DIR/tests/golden/report.json" >"$1" ||
		fail "no page"
}

# ask_page FILE WIDTH EXPRESSION: of the document "d" in a frame so many dots wide.
ask_page()
{
	cat >ask.html <<-EOF
		<!DOCTYPE html><body style="margin:0">
		<iframe id="f" src="$1" style="width:$2px;height:800px;border:0"></iframe>
		<script>
		document.getElementById("f").onload = function () {
			var d = this.contentDocument, w = this.contentWindow;
			document.body.textContent = "ANSWER " + ($3) + " END";
		};
		</script>
	EOF
	browse --dump-dom ask.html >answer || fail "the browser failed: $(tail -n 3 log)"
	answer=$(sed -nE 's/.*ANSWER (.*) END.*/\1/p' answer)
	[ -n "$answer" ] || fail "no answer: $(cat answer)"
}

# expect_dots R,G,B,LEAST,WHAT...: so many of a million dots of shot.png are within 40 of a colour.
expect_dots()
{
	local colours='' row counts=() n=0

	for row in "$@"; do
		colours+="[${row%,*,*}],"
	done
	cat >count.html <<-EOF
		<!DOCTYPE html><body><img id="i" src="shot.png">
		<script>
		document.getElementById("i").onload = function () {
			var c = document.createElement("canvas"), x = c.getContext("2d");
			c.width = this.width; c.height = this.height; x.drawImage(this, 0, 0);
			var p = x.getImageData(0, 0, c.width, c.height).data;
			document.body.textContent = "ANSWER " + [$colours].map(function (w) {
				for (var n = 0, i = 0; i < p.length; i += 4)
					n += Math.abs(p[i] - w[0]) + Math.abs(p[i+1] - w[1]) +
						Math.abs(p[i+2] - w[2]) < 40;
				return Math.round(4e6 * n / p.length); }).join(" ") + " END";
		};
		</script>
	EOF
	browse --dump-dom count.html >answer || fail "the browser failed: $(tail -n 3 log)"
	read -ra counts <<<"$(sed -nE 's/.*ANSWER ([0-9 ]+) END.*/\1/p' answer)"
	expect_equal "${#counts[@]}" $# "colours that were counted"
	for row in "$@"; do
		[ "${counts[n]}" -ge "$(cut -d, -f4 <<<"$row")" ] ||
			fail "only ${counts[n]} of a million dots are ${row##*,}"
		n=$((n + 1))
	done
}

the_page_is_seen_without_a_complaint()
{
	need_browser
	sample_page page.html
	browse --window-size=1000,1400 --screenshot="$T/shot.png" page.html || fail "$(tail -n 3 log)"
	no_complaint
	expect_dots 179,38,15,1000,verdict 11,92,173,1000,bars 184,206,230,20000,areas 23,32,42,1000,text
}

it_fits_a_phone_without_scrolling_sideways()
{
	need_browser
	sample_page page.html
	# Names from outside may be long and have no blanks.
	jq '.plan.target |= . + ("x" * 300) | .report.findings[0].text |= ("y" * 400)' \
		"$SOURCE_DIR/tests/golden/report.json" >long.json || fail "jq"
	"$IOTEST" report --format html long.json >long.html || fail "no page"
	for page in page.html long.html; do
		ask_page "$page" 390 "d.documentElement.scrollWidth + ' ' +
			Math.floor(d.querySelector('.plot svg').getBoundingClientRect().width)"
		[ "${answer% *}" -le 390 ] || fail "$page is ${answer% *} dots wide"
		[ "${answer#* }" -ge 200 ] || fail "the chart is ${answer#* } dots wide"
		no_complaint
	done
}

it_has_what_a_screen_reader_needs()
{
	need_browser
	sample_page page.html
	ask_page page.html 1000 "[d.querySelectorAll('main').length, d.querySelectorAll('h1').length,
		d.querySelectorAll('svg:not([role=img])').length,
		Array.from(d.querySelectorAll('svg')).filter(s => !s.querySelector('title').textContent
			|| !s.querySelector('desc').textContent).length,
		Array.from(d.querySelectorAll('table')).filter(t => !t.caption || !t.tHead).length,
		d.documentElement.lang]"
	expect_equal "$answer" "1,1,0,0,0,en" "main, h1, unnamed pictures, unnamed tables, language"
}

# contrast of two "rgb(r, g, b)"
readonly CONTRAST='(function (a, b) {
	function l(c) { var v = c.match(/[0-9.]+/g).slice(0, 3).map(function (x) { x /= 255;
		return x <= 0.03928 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4); });
		return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; }
	var x = l(a), y = l(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); })'

text_has_contrast_in_light_and_dark()
{
	local scheme

	need_browser
	sample_page page.html
	for scheme in 1 0; do
		cat >ask.html <<-EOF
			<!DOCTYPE html><body>
			<iframe id="f" src="page.html" style="width:1000px;height:800px"></iframe>
			<script>
			document.getElementById("f").onload = function () {
				var d = this.contentDocument, w = this.contentWindow, low = 99, dark;
				var card = w.getComputedStyle(d.querySelector("section")).backgroundColor;
				d.querySelectorAll("section p, section td, section th, section dd, section span," +
					"section summary, section figcaption").forEach(function (e) {
					low = Math.min(low, $CONTRAST(w.getComputedStyle(e).color, card)); });
				var b = w.getComputedStyle(d.querySelector(".badge"));
				low = Math.min(low, $CONTRAST(b.color, b.backgroundColor));
				dark = w.matchMedia("(prefers-color-scheme: dark)").matches;
				document.body.textContent = "ANSWER " + Math.floor(low * 10) + " " + dark + " END";
			};
			</script>
		EOF
		browse --dump-dom --blink-settings=preferredColorScheme=$scheme ask.html >answer
		read -r low dark <<<"$(sed -nE 's/.*ANSWER (.*) END.*/\1/p' answer)"
		expect_equal "$dark" "$([ $scheme = 0 ] && echo true || echo false)" "dark"
		[ "${low:-0}" -ge 45 ] || fail "a contrast of ${low:-0} tenths"
	done
}

a_run_leaves_it_in_its_bundle()
{
	mkdir d o
	iotest -t d --size 1M -o o --case 'A-1'
	expect_status 0
	bundle_in o
	tar -xzf "$bundle" --strip-components=1 --wildcards '*/report.html' ||
		fail "no report.html in the bundle"
	# shellcheck disable=SC2016
	grep -q "<h1>$T/d on " report.html || fail "$(grep -m 1 '<h1>' report.html)"
	iotest report --format html "$bundle"
	expect_status 0
	cmp -s out report.html || fail "report --format html prints another page"
	! grep -qE '<script|https?:|src=' report.html || fail "the page reaches out"
	need_browser
	browse --window-size=800,1200 --screenshot="$T/shot.png" report.html || fail "$(tail -n 3 log)"
	no_complaint
	expect_dots 23,32,42,1000,text
}

a_page_from_a_bundle_is_made_again_and_not_believed()
{
	mkdir d o
	iotest -t d --size 1M -o o --keep-dir --no-bundle
	expect_status 0
	echo '<script>alert(1)</script>' >o/iotest_*/report.html
	iotest report --format html o/iotest_*/report.json
	expect_status 0
	! grep -q '<script' out || fail "the script of the folder is shown"
	expect_text out '</html>'
}

a_page_cannot_be_asked_of_a_plan()
{
	mkdir d
	iotest plan -t d --format html
	expect_status 2
	expect_text err 'text, json'
}

run_tests the_page_is_seen_without_a_complaint it_fits_a_phone_without_scrolling_sideways \
	it_has_what_a_screen_reader_needs text_has_contrast_in_light_and_dark \
	a_run_leaves_it_in_its_bundle a_page_from_a_bundle_is_made_again_and_not_believed \
	a_page_cannot_be_asked_of_a_plan
